// Ask a question and toss a coin for the answer: only what the coin lets through leaves the browser.
// `data.truth` is the chance of the true answer; else Yes or No is sent with even odds. What was sent
// is kept until the tab is closed, and sent again where the server has lost it: no second toss.
export default function ({ data, parentElement, setTriggerValue }) {
  const place = `coin ${data.coin}`;
  const toss = () => crypto.getRandomValues(new Uint32Array(1))[0];
  const find = (name) => parentElement.querySelector(name);
  let sent = sessionStorage.getItem(place);
  const show = () => {
    find(".asked").textContent = data.question;
    find(".answers").hidden = sent !== null;
    find(".sent").textContent = sent && `This browser sent: ${sent === "yes" ? "Yes" : "No"}.`;
  };
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = () => {
      const isTrue = toss() < Math.round(data.truth * 2 ** 32);
      sent = isTrue ? button.value : ["no", "yes"][toss() % 2];
      sessionStorage.setItem(place, sent);
      show();
      setTriggerValue("answer", sent);
    };
  }
  show();
  if (sent !== null && data.isMissing) setTriggerValue("answer", sent);
}
