"""What a reader sees at once: words and controls within the window, and the first chart."""

from __future__ import annotations

from typing import NamedTuple

IN_SIGHT = r"""() => {
  const seen = (box) => box.width > 0 && box.height > 0 && box.top < innerHeight
    && box.bottom > 0 && box.left < innerWidth && box.right > 0;
  const main = document.querySelector('[data-testid=stMain]');
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const words = [], range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('style, script, [data-testid=stIconMaterial]')
        || !text.parentElement.checkVisibility({visibilityProperty: true})) continue;
    // Word by word: a paragraph that begins above the fold may end beneath it.
    for (const word of text.textContent.matchAll(/\S*\p{L}\S*/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (seen(range.getBoundingClientRect())) words.push(word[0]);
    }
  }
  const controls = [...document.querySelectorAll(
    'input, textarea, select, [role=slider], [role=radiogroup]')]
    .filter((one) => one.checkVisibility({visibilityProperty: true})
      && seen(one.getBoundingClientRect()))
    .map((one) => one.getAttribute('aria-label') || one.getAttribute('role'));
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
    result: float = page.get_by_test_id("stPlotlyChart").first.evaluate(
        """chart => {
          const box = chart.getBoundingClientRect();
          return Math.max(0, Math.min(1, (innerHeight - box.top) / box.height));
        }"""
    )
    return result
