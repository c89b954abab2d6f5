// A picture that the reader moves along its stops (values of ε, epochs, days) without the server.
//
// All it says is in `data` (dpcore/figures/picture.py); the server is told where the cursor rests.
// Texts may be strangers': they enter as text nodes, never as HTML.

const REST = 300 // milliseconds without a move
const LETTER = 6.7, LEFT = 8, RIGHT = 14, TOP = 8, BOTTOM = 44 // pixels
const WIDE = 700 // from this width on, marks stand in long rows
const PEOPLE = ["disc", "cross", "diamond", "speck"], GUESSES = ["disc", "diamond", "ring"]
const ARROWS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }
const STEPS = { ...ARROWS, PageDown: -5, PageUp: 5, Home: -Infinity, End: Infinity }

const views = new WeakMap() // by the place that Streamlit gives
const cursors = new Map() // by label and stops: pictures of one page share one

export default function picture({ data, parentElement, setStateValue }) {
  const view = views.get(parentElement) ?? built(parentElement)
  view.tell = (stop, n) => setStateValue("moved", { stop, n })
  if (view.heard !== data) hear(view, data) // else the theme alone has changed
  // Streamlit may end a call that a later one has overtaken; only the last one's end counts.
  const call = ++view.calls
  return () => view.calls === call && remove(view, parentElement)
}

// The cursor. Who moves it owns it, until the server has answered the last move.

function join(view, stop) {
  const { label, axis } = view.data
  const name = JSON.stringify([label, axis.texts])
  if (view.cursor?.name === name) return
  leave(view)
  if (!cursors.has(name)) {
    // `known` is the stop that the server was told or has told last, `told` the last it has.
    const own = { stop, known: stop, told: stop, views: new Set(), down: null, timer: 0, waiting: null }
    cursors.set(name, { name, ...own })
  }
  view.cursor = cursors.get(name)
  view.cursor.views.add(view)
}

function leave(view) {
  const { cursor } = view
  if (!cursor) return
  cursor.views.delete(view)
  if (cursor.waiting?.view === view) cursor.waiting = null
  if (cursor.down === view) cursor.down = null
  if (cursor.views.size) return
  clearTimeout(cursor.timer)
  cursors.delete(cursor.name)
}

function hear(view, data) {
  const { stop, n, ...shown } = data, written = JSON.stringify(shown)
  view.heard = data
  view.n ??= n
  if (view.written !== written) take(view, shown, stop)
  view.written = written
  const { cursor } = view
  cursor.told = stop
  if (cursor.waiting?.view === view && cursor.waiting.n === n) {
    cursor.waiting = null
    cursor.known = stop
  }
  if (!cursor.down && !cursor.timer && !cursor.waiting) obey(cursor)
}

function obey(cursor) {
  cursor.known = cursor.told
  go(cursor, cursor.told)
}

function go(cursor, stop) {
  if (stop === cursor.stop) return
  cursor.stop = stop
  for (const view of cursor.views) show(view)
}

function move(view, wanted) {
  const { cursor } = view
  const stop = Math.max(0, Math.min(view.data.axis.places.length - 1, wanted))
  if (stop === cursor.stop) return
  for (const each of cursor.views) each.run += 1
  go(cursor, stop)
  rest(view)
}

function rest(view) {
  const { cursor } = view
  clearTimeout(cursor.timer)
  cursor.timer = setTimeout(() => {
    cursor.timer = 0
    if (!cursor.down) settle(view)
  }, REST)
}

function settle(view) {
  const { cursor } = view
  if (cursor.stop !== cursor.known) {
    cursor.known = cursor.stop
    view.n += 1
    cursor.waiting = { view, n: view.n }
    view.tell(cursor.stop, view.n)
  } else if (!cursor.waiting) obey(cursor)
  say(view.parts.live, view.data.sentences[cursor.stop].replaceAll("**", ""))
}

// Keys, pointer and button.

function listen(view) {
  const { root, parts: { chart, people, live } } = view
  let pressed = -1, start = null // the panel that is dragged in, and where a finger touched it
  const drag = ({ clientX }) => {
    const { places } = view.data.axis
    const { left, width } = view.panels[pressed].ground.getBoundingClientRect()
    const away = places.map((place) => Math.abs(left + place * width - clientX))
    move(view, away.indexOf(Math.min(...away)))
  }
  const release = () => {
    if (view.cursor.down !== view) return
    view.cursor.down = null
    rest(view)
  }
  const light = (event) => emphasise(view, event.target.closest("[data-name]")?.dataset.name)
  chart.addEventListener("keydown", (event) => {
    const step = STEPS[event.key]
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    move(view, view.cursor.stop + step)
  })
  chart.addEventListener("pointerdown", (event) => {
    const panel = view.panels.findIndex(({ paper }) => paper.contains(event.target))
    if (panel < 0 || event.button || !event.isPrimary) return
    pressed = panel
    view.cursor.down = view
    chart.setPointerCapture(event.pointerId)
    // A finger may be about to scroll the page: it moves the cursor once it drags sideways or taps.
    start = event.pointerType === "touch" ? event : null
    if (!start) drag(event)
  })
  chart.addEventListener("pointermove", (event) => {
    if (view.cursor.down !== view) return
    const { clientX: x, clientY: y } = event
    if (start && Math.abs(x - start.clientX) <= Math.abs(y - start.clientY)) return
    start = null
    drag(event)
  })
  chart.addEventListener("pointerup", (event) => view.cursor.down === view && drag(event))
  chart.addEventListener("lostpointercapture", release) // after pointerup and pointercancel
  root.addEventListener("pointerover", light)
  root.addEventListener("pointerleave", () => emphasise(view, undefined))
  people.button.addEventListener("click", () => {
    view.run += 1
    showPeople(view)
    say(live, people.line.textContent)
  })
}

function emphasise(view, name) {
  if (view.lit === name) return
  view.lit = name
  view.root.classList.toggle("lighting", name !== undefined)
  for (const each of view.root.querySelectorAll("[data-name]")) {
    each.classList.toggle("lit", each.dataset.name === name)
  }
  for (const box of view.panels) point(view, box)
}

// Elements. They are built once, so that focus stays where it is when data come.

function built(place) {
  const parts = {
    sentence: steady("p", "sentence"),
    readings: html("dl", { class: "readings" }),
    legend: html("ul", { class: "legend" }),
    curves: html("div", { class: "curves" }),
    chart: html("div", { class: "chart", role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-describedby": "alt" }),
    alt: html("p", { class: "unseen", id: "alt" }),
    people: marks("people"),
    guesses: marks("guesses"),
    wording: steady("p", "wording"),
    live: html("p", { class: "unseen", "aria-live": "polite" }),
  }
  parts.people.button = html("button", { type: "button", class: "again" }, "Again")
  parts.people.head.append(parts.people.button)
  parts.guesses.block.append(parts.wording.block)
  const root = html(
    "div", { class: "picture" },
    parts.sentence.block, parts.readings, parts.curves, parts.legend, parts.chart, parts.alt,
    parts.people.block, parts.guesses.block, parts.live,
  )
  const view = { root, parts, panels: [], readings: [], calls: 0, run: 0, width: 0 }
  listen(view)
  view.observer = new ResizeObserver(() => root.clientWidth !== view.width && lay(view))
  view.observer.observe(root)
  place.append(root)
  views.set(place, view)
  return view
}

function remove(view, place) {
  leave(view)
  view.observer.disconnect()
  view.root.remove()
  views.delete(place)
}

// A text in the place of the longest that it may become, so that nothing below it jumps.
function steady(name, kind) {
  const shown = html(name, { class: kind })
  const longest = html(name, { class: `${kind} longest`, "aria-hidden": "true" })
  return { shown, longest, block: html("div", { class: "steady" }, shown, longest) }
}

function reserve(text, texts) {
  fill(text.longest, texts.reduce((one, two) => (two.length > one.length ? two : one), ""))
}

function marks(kind) {
  const title = html("p", { class: "title" }), head = html("div", { class: "head" }, title)
  const paper = svg("svg", { role: "img" }), line = html("p", { class: "counts" })
  return { title, head, paper, line, block: html("div", { class: `marks ${kind}` }, head, paper, line) }
}

function take(view, data, stop) {
  const { parts } = view
  view.data = data
  join(view, stop)
  reserve(parts.sentence, data.sentences)
  view.readings = data.readings.map(({ label, values, notes }) => {
    const value = html("dd", { class: "value" }), note = steady("dd", "note")
    reserve(note, notes)
    const block = html("div", {}, html("dt", {}, label), value, note.shown, note.longest)
    return { block, value, note: note.shown, values, notes }
  })
  parts.readings.replaceChildren(...view.readings.map(({ block }) => block))
  say(parts.alt, data.alt)
  set(parts.chart, { "aria-label": data.label, "aria-valuemax": data.axis.places.length - 1 })
  const legends = data.panels.map(({ lines }) => JSON.stringify(lines.map(({ name, colours }) => [name, colours])))
  const shared = legends.length > 1 && new Set(legends).size === 1
  parts.legend.replaceChildren(...(shared ? entries(data.panels[0]) : []))
  view.panels = data.panels.map((panel) => boxed(panel, shared ? [] : entries(panel)))
  parts.chart.replaceChildren(...view.panels.map(({ block }) => block))
  view.curves = data.curves && boxed({ ...data.curves }, entries(data.curves))
  parts.curves.replaceChildren(...(data.curves ? [view.curves.block] : []))
  for (const kind of ["people", "guesses"]) {
    parts[kind].block.hidden = !data[kind]
    say(parts[kind].title, data[kind]?.title ?? "")
  }
  if (data.guesses) reserve(parts.wording, data.guesses.sentences)
  lay(view)
}

function boxed(panel, legend) {
  const title = html("p", { class: "title" }, panel.title), paper = svg("svg", { "aria-hidden": "true" })
  return { panel, paper, block: html("div", { class: "panel" }, title, html("ul", { class: "legend" }, ...legend), paper) }
}

function entries({ lines }) {
  return lines.filter(({ name }) => name).map((line) => {
    const sample = svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, drawn(line, "M1 6H25"))
    return html("li", { "data-name": line.name }, sample, line.name)
  })
}

// What depends on the width.

function lay(view) {
  view.width = view.root.clientWidth
  if (!view.width || !view.data) return
  const wide = view.width >= WIDE
  for (const box of view.panels) layPanel(box, view.data.axis, wide ? 232 : 208)
  if (view.curves) layPanel(view.curves, view.curves.panel.axis, wide ? 280 : 232)
  layMarks(view.parts.people, view.width, wide ? 100 : 50, 1000)
  layMarks(view.parts.guesses, view.width, wide ? 50 : 25, 100)
  show(view)
}

function layPanel(box, axis, height) {
  const { panel, paper, block } = box
  const whole = block.clientWidth
  const left = LEFT + LETTER * Math.max(2, ...panel.ticks.map(([, text]) => text.length))
  const right = Math.max(left + 10, whole - RIGHT), floor = height - BOTTOM
  const x = (place) => left + place * (right - left), y = (place) => floor - place * (floor - TOP)
  Object.assign(box, { left, right, floor, x, y })
  box.ground = svg("rect", { class: "ground", x: left, y: TOP, width: right - left, height: floor - TOP })
  box.cursor = svg("g", {})
  const across = (place, settings) => svg("path", { d: `M${left} ${at(y(place))}H${right}`, ...settings })
  let free = -Infinity
  const ticks = axis.ticks.filter(([place, text]) => {
    const half = (text.length * LETTER) / 2, fits = x(place) - half >= free
    if (fits) free = x(place) + half + 10
    return fits
  })
  set(paper, { width: whole, height, viewBox: `0 0 ${whole} ${height}` })
  paper.replaceChildren(
    box.ground,
    ...panel.ticks.map(([place]) => across(place, { class: "grid" })),
    ...panel.ticks.map(([place, text]) => label(text, left - 6, y(place) + 4, "end")),
    svg("path", { class: "axis", d: `M${left} ${floor}H${right}` }),
    ...ticks.map(([place]) => svg("path", { class: "axis", d: `M${at(x(place))} ${floor}v4` })),
    ...ticks.map(([place, text]) => label(text, x(place), floor + 17, "middle")),
    label(axis.title, (left + right) / 2, height - 6, "middle", "axis-title"),
    ...panel.rules.map(({ place, dash }) => across(place, { class: "rule", "stroke-dasharray": dash })),
    (box.inside = lines(box, axis.places)), ...ruleLabels(box), box.cursor,
  )
}

// Lines end where the axes do, but for the width of their strokes.
function lines({ panel, left, right, floor, x, y }, stops) {
  const frame = { x: left - 4, y: TOP - 4, width: right - left + 8, height: floor - TOP + 8 }
  const inside = svg("svg", { ...frame, viewBox: Object.values(frame).join(" ") })
  const spot = (places) => (stop) => `${at(x(stops[stop]))} ${at(y(places[stop]))}`
  const strongLast = [...panel.lines].sort((one, two) => one.strong - two.strong)
  for (const { low, high, ...line } of strongLast) {
    const both = [...low.keys()].filter((stop) => low[stop] !== null && high[stop] !== null)
    if (!both.length) continue
    const d = `M${both.map(spot(low)).join("L")}L${both.reverse().map(spot(high)).join("L")}Z`
    inside.append(svg("path", { class: "band", d, ...hue(line) }))
  }
  for (const line of strongLast) {
    const { places, strong } = line, has = (stop) => (places[stop] ?? null) !== null
    const there = [...places.keys()].filter(has)
    const d = there.map((stop) => (has(stop - 1) ? "L" : "M") + spot(places)(stop)).join("")
    inside.append(drawn(line, d))
    // A stop between two without a value would not be seen.
    const dotted = there.filter((stop) => strong || !(has(stop - 1) || has(stop + 1)))
    const points = dotted.map((stop) => `M${spot(places)(stop)}h0`).join("")
    const thick = strong ? at(Math.min(7, (0.5 * (right - left)) / stops.length)) : 4
    inside.append(svg("path", { class: "points", d: points, "stroke-width": thick, ...hue(line) }))
    if (!strong) inside.append(svg("path", { class: "reach", d, "data-name": line.name }))
  }
  return inside
}

// Each at the end of its rule, and on the side of it, that is farther from the strong line.
function ruleLabels(box) {
  const { panel, left, right, y } = box
  const strong = panel.lines.find((line) => line.strong)
  const above = (rule, end) => (strong?.places.at(end) ?? -9) - rule.place
  box.taken = []
  return panel.rules.map((rule) => {
    const end = Math.abs(above(rule, 0)) >= Math.abs(above(rule, -1)) ? 0 : -1
    const wide = LETTER * rule.label.length, from = end ? right - 4 - wide : left + 6
    const sides = [y(rule.place) - 5, y(rule.place) + 14]
    if (above(rule, end) > 0) sides.reverse()
    const { side } = free(box, box.taken, sides.map((each) => ({ from, wide, side: each })))
    return label(rule.label, end ? right - 4 : left + 6, side, end ? "end" : "start", "rule-label")
  })
}

// Take the first spot for words that is within the axes and best meets no other words.
function free({ left, right, floor }, taken, spots) {
  const within = spots.filter(({ from, wide, side }) =>
    side > TOP + 10 && side < floor - 2 && from >= left && from + wide <= right + RIGHT)
  const apart = (one, two) =>
    Math.abs(one.side - two.side) > 14 || one.from > two.from + two.wide || two.from > one.from + one.wide
  const spot = within.find((one) => taken.every((two) => apart(one, two))) ?? within[0] ?? spots[0]
  taken.push(spot)
  return spot
}

function drawn(line, d) {
  const kind = line.strong ? "line strong" : "line"
  const dash = (!line.strong && line.dash) || "none"
  return svg("path", { class: kind, d, "data-name": line.name, "stroke-dasharray": dash, ...hue(line) })
}

function hue({ colours: [light, dark] }) {
  return { style: { "--light": light, "--dark": dark } }
}

// What depends on the stop.

function show(view) {
  if (!view.width || !view.data) return
  const { data, parts, cursor: { stop } } = view
  fill(parts.sentence.shown, data.sentences[stop])
  for (const { value, note, values, notes } of view.readings) {
    say(value, values[stop])
    say(note, notes[stop])
  }
  set(parts.chart, { "aria-valuenow": stop, "aria-valuetext": data.spoken[stop] })
  for (const box of view.panels) point(view, box)
  if (view.curves) showCurves(view.curves, stop)
  if (data.people) showPeople(view)
  if (data.guesses) showGuesses(view)
}

function showCurves(box, stop) {
  const { panel, inside } = box
  panel.lines = panel.stops[stop]
  box.inside = lines(box, panel.axis.places)
  inside.replaceWith(box.inside)
}

function point({ data: { axis }, cursor: { stop }, lit }, box) {
  const { panel, cursor, right, floor, x, y } = box
  const here = x(axis.places[stop]), text = `‹ ${axis.texts[stop]} ›`, half = 3.6 * text.length + 6
  const middle = Math.min(right + RIGHT - half, here)
  const parts = [svg("path", { class: "needle", d: `M${at(here)} ${TOP}V${floor + 4}` })], taken = [...box.taken]
  for (const { name, places, texts, strong, ...line } of panel.lines) {
    const place = places[stop]
    if (place === null || !(strong || name === lit)) continue
    parts.push(svg("circle", { class: "dot", cx: at(here), cy: at(y(place)), r: strong ? 7 : 5, ...hue(line) }))
    const words = strong ? texts[stop] : `${name} ${texts[stop]}`
    // Above a line that rises there is room on the left, below it on the right.
    const rise = (places[stop + 1] ?? place) >= (places[stop - 1] ?? place) ? 1 : -1
    const wide = 8 * words.length, above = y(place) - 11, below = y(place) + 21
    const spotAt = (way, side) => ({ way, side, wide, from: way < 0 ? here - 11 - wide : here + 11 })
    const spots = [spotAt(-rise, above), spotAt(rise, below), spotAt(rise, above), spotAt(-rise, below)]
    const { way, side } = free(box, taken, spots)
    parts.push(label(words, here + 11 * way, side, way < 0 ? "end" : "start", "read"))
  }
  const pill = { class: "pill", x: at(middle - half), y: floor + 4, width: at(2 * half), height: 18, rx: 9 }
  cursor.replaceChildren(...parts, svg("rect", pill), label(text, middle, floor + 17, "middle", "at"))
}

// Marks of people: a shape for each kind, and all of a kind in one path.

function layMarks(block, width, across, number) {
  const cell = Math.min(12, width / across), whole = at(cell * across), tall = at((cell * number) / across)
  set(block.paper, { width: whole, height: tall, viewBox: `0 0 ${whole} ${tall}` })
  const centre = (place) => cell * (place + 0.5)
  const spots = Array.from({ length: number }, (_, one) => [centre(one % across), centre(Math.floor(one / across))])
  block.size = 0.36 * cell
  block.strokes = {}
  for (const shape of [...PEOPLE, "ring"]) block.strokes[shape] = spots.map(([x, y]) => stroke(shape, x, y, block.size))
}

function stroke(shape, x, y, size) {
  const from = (right, down) => `M${at(x + right)} ${at(y + down)}`
  const a = at(size), b = at(1.15 * size), r = at(0.85 * size)
  if (shape === "cross") return `${from(-a, -a)}l${2 * a} ${2 * a}${from(a, -a)}l${-2 * a} ${2 * a}`
  if (shape === "diamond") return `${from(0, -b)}l${b} ${b} ${-b} ${b} ${-b} ${-b}z`
  if (shape === "ring") return `${from(-r, 0)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`
  return `${from(0, 0)}h0` // the round end of a stroke
}

function mark(shape, size, d) {
  const thick = { disc: 2.1, speck: 0.8, cross: 0.62, diamond: 0.25, ring: 0.35 }[shape]
  return svg("path", { class: shape, d, "stroke-width": at(thick * size) })
}

// Draw so many of each shape in reading order, and count them in the line below.
function count(block, before, groups) {
  let start = 0
  const said = groups.map(([, number, words]) => `${number} ${words}`)
  const paths = groups.map(([shape, number]) => {
    const d = block.strokes[shape].slice(start, start + number).join("")
    start += number
    return mark(shape, block.size, d)
  })
  block.paper.replaceChildren(...paths)
  block.paper.setAttribute("aria-label", before + said.join(", "))
  const samples = groups.map(([shape], one) => {
    const path = mark(shape, 4.4, stroke(shape, 7, 7, 4.4))
    const sample = svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, path)
    return [one ? ", " : "", html("span", { class: "count" }, sample, said[one])]
  })
  block.line.replaceChildren(before, ...samples.flat())
}

function showPeople({ data: { people: { kinds, cases } }, cursor: { stop }, parts: { people }, run }) {
  const runs = cases[stop].length / 3, one = run % runs
  people.button.disabled = runs < 2
  if (!runs) return count(people, "No run here yet.", [])
  const numbers = cases[stop].slice(3 * one, 3 * one + 3)
  numbers.push(1000 - numbers[0] - numbers[1] - numbers[2])
  const groups = numbers.map((number, kind) => [PEOPLE[kind], number, kinds[kind][number === 1 ? 0 : 1]])
  count(people, `Run ${one + 1} of ${runs}: `, groups)
}

function showGuesses({ data: { guesses }, cursor: { stop }, parts }) {
  const { right, byChance, kinds, sentences } = guesses
  fill(parts.wording.shown, sentences[stop])
  const counts = right[stop] === null ? [] : [byChance, right[stop] - byChance, 100 - right[stop]]
  count(parts.guesses, "", counts.map((number, kind) => [GUESSES[kind], number, kinds[kind]]))
}

// Nodes and texts.

function at(number) {
  return Math.round(10 * number) / 10
}

function html(name, settings, ...inside) {
  return set(document.createElement(name), settings, inside)
}

function svg(name, settings, ...inside) {
  return set(document.createElementNS("http://www.w3.org/2000/svg", name), settings, inside)
}

function set(element, { style = {}, ...settings }, inside = []) {
  for (const [name, value] of Object.entries(settings)) element.setAttribute(name, value)
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value)
  element.append(...inside)
  return element
}

function label(text, x, y, anchor, kind = "tick") {
  return svg("text", { class: kind, x: at(x), y: at(y), "text-anchor": anchor }, text)
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text
}

// Show a text whose **parts** are bold.
function fill(element, text) {
  element.replaceChildren(...text.split("**").map((part, one) => (one % 2 ? html("strong", {}, part) : part)))
}
