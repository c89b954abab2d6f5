"""What a reader sees at once: words and controls within the window, and the first chart."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page

IN_SIGHT = r"""() => {
  const seen = (box) => box.width > 0 && box.height > 0 && box.top < innerHeight
    && box.bottom > 0 && box.left < innerWidth && box.right > 0;
  const main = document.querySelector('[data-testid=stMain]');
  const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const words = [];
  while (texts.nextNode()) {
    const text = texts.currentNode, range = document.createRange();
    const hidden = text.parentElement.closest('style, script, [data-testid=stIconMaterial]');
    range.selectNodeContents(text);
    if (!hidden && text.parentElement.checkVisibility({visibilityProperty: true})
        && seen(range.getBoundingClientRect())) {
      words.push(...text.textContent.split(/\s+/).filter((word) => /\p{L}/u.test(word)));
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


def in_sight(page: Page) -> InSight:
    """The words and the names of the controls that are within the window, scrolled or not."""
    result = page.evaluate(IN_SIGHT)
    return InSight(result["words"], result["controls"])


def share_above_the_fold(page: Page) -> float:
    """How much of the first chart's height is above the window's lower edge, from the top."""
    result: float = page.get_by_test_id("stPlotlyChart").first.evaluate(
        """chart => {
          const box = chart.getBoundingClientRect();
          return Math.max(0, Math.min(1, (innerHeight - box.top) / box.height));
        }"""
    )
    return result
