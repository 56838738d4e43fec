import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { into } from '../state/load';
import { Text } from './form/field';
import { Button } from './layout';

/** A modal dialog. The browser keeps the focus inside it and restores the focus when it closes. */
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

interface Question {
  action: string;
  text: string;
  /** A string that the user must type before a dangerous action. */
  typed: string | undefined;
  resolve: (isConfirmed: boolean) => void;
}

const question = signal<Question | null>(null);

/** Asks the user to confirm an irreversible action. Resolves to whether they confirmed it. */
export function confirmed(action: string, text: string, typed?: string): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = { action, text, typed, resolve };
  });
}

/** The dialog for `confirmed`, rendered once per page. */
export function Confirmation() {
  const asked = question.value;
  return asked && <Confirm asked={asked} />;
}

function Confirm({ asked }: { asked: Question }) {
  const typed = useSignal('');
  const close = (isConfirmed: boolean) => {
    question.value = null;
    asked.resolve(isConfirmed);
  };
  return (
    <Dialog title={`${asked.action}?`} onClose={() => close(false)}>
      <p>{asked.text}</p>
      {asked.typed !== undefined && (
        <Text label={`Type “${asked.typed}” to continue`} value={typed.value} set={into(typed)} />
      )}
      <div class="actions">
        <Button
          class="danger"
          disabled={asked.typed !== undefined && typed.value.trim() !== asked.typed.trim()}
          onClick={() => close(true)}
        >
          {asked.action}
        </Button>
        {/* Focused by default, so that pressing Enter twice doesn't delete anything. */}
        <button type="button" autofocus onClick={() => close(false)}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
