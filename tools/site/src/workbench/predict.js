/// The page of a chapter's questions. The verdicts and their texts come from tools/exercises/predict.py.

import { Engine } from "./engine.js";
import { loadingIn, message, storage, tell } from "./parts.js";
import { note, noted } from "./work.mjs";

const form = document.querySelector("#predict"), { chapter, base } = form.dataset;
const part = (name) => form.querySelector(`[data-part="${name}"]`);
const questions = [...form.querySelectorAll("[data-number]")].map((section) => ({ number: section.dataset.number, key: `${chapter.slice(0, 2)}.${section.dataset.number}`,
  input: section.querySelector("input"), judged: section.querySelector("[data-judged]") }));
const engine = new Engine(new URL(base, location.href).href, { onLoading: loadingIn(part), onNote: tell });

for (const { key, input } of questions) input.value = noted(storage, "predict")[key]?.typed ?? "";

form.onsubmit = async (event) => {
  event.preventDefault();
  part("send").disabled = true;
  try {
    const { judged } = await engine.answer("judge_predictions", chapter, questions.map(({ input }) => input.value));
    const isAnswer = questions.every(({ number }) => !judged[number].hint);
    for (const { number, key, input, judged: place } of questions) {
      const { hint, right, words } = judged[number];
      input.setAttribute("aria-invalid", String(Boolean(hint)));
      place.textContent = hint ?? (isAnswer ? words : "");
      if (isAnswer) note(storage, "predict", { [key]: { typed: input.value, right } });
    }
    questions.find(({ number }) => judged[number].hint)?.input.focus();
  } catch (problem) {
    tell(message(problem));
  }
  part("loading").hidden = true;
  part("send").disabled = false;
};
part("send").disabled = false;
