import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './layout';

/** A modal dialog; the browser keeps the focus inside it and restores it afterwards. */
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

const question = signal<{ text: string; action: string; resolve: (isConfirmed: boolean) => void } | null>(null);

/** Asks before something that cannot be undone. Resolves with whether the user confirmed. */
export function confirmed(action: string, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = { text, action, resolve };
  });
}

/** The dialog of `confirmed`; rendered once per page. */
export function Confirmation() {
  const asked = question.value;
  if (!asked) return null;
  const close = (isConfirmed: boolean) => {
    question.value = null;
    asked.resolve(isConfirmed);
  };
  return (
    <Dialog title={`${asked.action}?`} onClose={() => close(false)}>
      <p>{asked.text}</p>
      <div class="actions">
        <Button class="danger" onClick={() => close(true)}>
          {asked.action}
        </Button>
        <Button onClick={() => close(false)}>Cancel</Button>
      </div>
    </Dialog>
  );
}
