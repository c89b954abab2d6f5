"""What a reader sees at once: words and controls within the window, and the first chart."""

from __future__ import annotations

from typing import NamedTuple

IN_SIGHT = r"""() => {
  const seen = (box) => box.width > 0 && box.height > 0 && box.top < innerHeight
    && box.bottom > 0 && box.left < innerWidth && box.right > 0;
  const words = [], controls = [], range = document.createRange();
  const look = (place) => {
    const parts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    while (parts.nextNode()) {
      const part = parts.currentNode;
      if (part.shadowRoot) look(part.shadowRoot);
      if (part instanceof Element) continue;
      if (part.parentElement.closest('style, script, [data-testid=stIconMaterial]')
          || !part.parentElement.checkVisibility({visibilityProperty: true})) continue;
      // Word by word: a paragraph that begins above the fold may end beneath it.
      for (const word of part.textContent.matchAll(/\S*\p{L}\S*/gu)) {
        range.setStart(part, word.index);
        range.setEnd(part, word.index + word[0].length);
        if (seen(range.getBoundingClientRect())) words.push(word[0]);
      }
    }
  };
  const reach = (place) => {
    for (const one of place.querySelectorAll('*')) {
      if (one.shadowRoot) reach(one.shadowRoot);
      if (one.matches('input, textarea, select, [role=slider], [role=radiogroup]')
          && one.checkVisibility({visibilityProperty: true}) && seen(one.getBoundingClientRect()))
        controls.push(one.getAttribute('aria-label') || one.getAttribute('role'));
    }
  };
  look(document.querySelector('[data-testid=stMain]'));
  reach(document);
  return {words, controls: [...new Set(controls)]};
}"""


class InSight(NamedTuple):
    """What is within the window."""

    words: list[str]
    controls: list[str]


def in_sight(page):
    """The words and the names of the controls that are within the window, scrolled or not."""
    result = page.evaluate(IN_SIGHT)
    return InSight(result["words"], result["controls"])


def share_above_the_fold(page):
    """How much of the first chart's height is above the window's lower edge, from the top."""
    chart = page.locator("[data-testid=stPlotlyChart], .picture .chart").first
    result: float = chart.evaluate(
        """chart => {
          const box = chart.getBoundingClientRect();
          return Math.max(0, Math.min(1, (innerHeight - box.top) / box.height));
        }"""
    )
    return result
