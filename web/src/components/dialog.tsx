import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './layout';

/** A modal dialog; the browser keeps the focus inside and gives it back. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} aria-label={props.title} onClose={props.onClose}>
      <h2>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

const asked = signal<{ text: string; action: string; answer: (yes: boolean) => void } | null>(null);

/** Asks before something that cannot be undone. Gives whether the person agreed. */
export function confirmed(action: string, text: string): Promise<boolean> {
  return new Promise((answer) => {
    asked.value = { text, action, answer };
  });
}

/** Rendered once; shows what `confirmed` asks. */
export function Confirmation() {
  const question = asked.value;
  if (!question) return null;
  const close = (yes: boolean) => {
    asked.value = null;
    question.answer(yes);
  };
  return (
    <Dialog title={`${question.action}?`} onClose={() => close(false)}>
      <p>{question.text}</p>
      <div class="actions">
        <Button class="danger" act={() => close(true)}>
          {question.action}
        </Button>
        <Button act={() => close(false)}>Cancel</Button>
      </div>
    </Dialog>
  );
}
