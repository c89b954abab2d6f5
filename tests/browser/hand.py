"""Hands that do a reader's tasks: one clicks with a mouse, one has the keyboard alone."""

import re
from abc import ABC, abstractmethod

from playwright.sync_api import expect

from tests.browser.waiting import idle

MAX_TABS = 60
"""How often Tab may be pressed on the way to one control."""
MAX_BESIDE = 10
"""How many choices may stand side by side: Tab goes to the first of them."""
WHERE = """one => {
  const beside = one.closest('[role=radiogroup], [role=tablist]');
  if (one === document.activeElement) return 'there';
  return beside?.contains(document.activeElement) ? 'beside' : 'elsewhere';
}"""


class Hand(ABC):
    """What a reader does on a page.

    Attributes
    ----------
    page : Page
    clicks : int
        Clicks so far. Reaching a field to type into it is one; so is pressing a control by key.
    """

    def __init__(self, page):
        self.page = page
        self.clicks = 0

    @abstractmethod
    def _reach(self, control):
        """Press the control, or give it the focus and press Enter."""

    @abstractmethod
    def _take(self, box, option):
        """Take an option of a list that is unfolded."""

    @abstractmethod
    def _enter(self, field):
        """Bring the cursor into a field."""

    def press(self, control):
        """Press a link, a button or a choice, once the page is at rest."""
        idle(self.page)
        self.clicks += 1
        self._reach(control)

    def choose(self, box, option):
        """Unfold a list and take one of its options."""
        self.press(box)
        self.clicks += 1
        self._take(box, option)

    def type(self, field, text):
        """Replace what stands in a field."""
        self.clicks += 1
        self._enter(field)
        self.retype(field, text)

    def retype(self, field, text):
        """Replace what stands in the field, which still has the cursor; no click."""
        idle(self.page)
        expect(field).to_be_focused()
        for key in ("Control+a", *text, "Enter"):
            self.page.keyboard.press(key)

    def hand_over(self, button, file):
        """Choose a file in the dialog that a button opens; one click more, in the dialog."""
        with self.page.expect_file_chooser() as chooser:
            self.press(button)
        self.clicks += 1
        chooser.value.set_files(file)


class Mouse(Hand):
    """A hand that points and clicks."""

    def _reach(self, control):
        control.click()

    def _take(self, box, option):
        self.page.get_by_role("option", name=option, exact=True).click()

    def _enter(self, field):
        field.click()


class Keyboard(Hand):
    """A hand that has nothing but keys."""

    def _reach(self, control):
        self._tab_to(control)
        self.page.keyboard.press("Enter")

    def _take(self, box, option):
        self.page.keyboard.type(option)
        expect(self.page.get_by_role("option")).to_have_text([re.compile(re.escape(option))])
        self.page.keyboard.press("Enter")

    def _enter(self, field):
        self._tab_to(field)

    def _tab_to(self, control):
        """Give the control the focus: by Tab, and among choices side by side by the arrow."""
        expect(control).to_be_visible()
        if self._come_to(control, "Tab", MAX_TABS):
            return
        raise AssertionError(f"not reached by {MAX_TABS} presses of Tab: {control}")

    def _come_to(self, control, key, presses):
        for _ in range(presses):
            self.page.keyboard.press(key)
            place = control.evaluate(WHERE)
            if place == "there":
                return True
            if place == "beside" and key == "Tab":
                return self._come_to(control, "ArrowRight", MAX_BESIDE)
        return False
