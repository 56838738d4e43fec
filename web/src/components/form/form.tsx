import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ApiProblem } from '../../api/client';
import type { FieldProblem } from '../../api/types';
import { may } from '../../state/session';
import { reason } from '../../state/toast';

/** What a form hands to its fields. */
export interface FormState {
  /** The problem of a field, by its JSON pointer; also of what lies below it. */
  problem: (pointer: string) => string | undefined;
  /** Runs something that may be refused; the fields show why. */
  run: (action: () => Promise<void>) => void;
  isBusy: boolean;
}

interface Props {
  save: () => Promise<void>;
  /** Text of the button that saves. */
  action: string;
  /** Needs no write key: signing in. */
  isOpen?: boolean;
  /** Overrides the sentence for an answer. */
  explain?: (error: unknown) => string;
  /** Further buttons. */
  more?: (state: FormState) => ComponentChildren;
  children: (state: FormState) => ComponentChildren;
}

/** A form that shows what the server says about its fields. */
export function Form({ save, action, isOpen, explain = reason, more, children }: Props) {
  const errors = useSignal<readonly FieldProblem[]>([]);
  const failure = useSignal('');
  const isBusy = useSignal(false);

  const run = async (work: () => Promise<void>) => {
    isBusy.value = true;
    errors.value = [];
    failure.value = '';
    try {
      await work();
    } catch (error) {
      if (error instanceof ApiProblem) errors.value = error.errors;
      failure.value = explain(error);
    }
    isBusy.value = false;
  };
  const state: FormState = {
    isBusy: isBusy.value,
    run: (work) => void run(work),
    problem: (pointer) =>
      errors.value.find((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`))?.message,
  };
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        state.run(save);
      }}
    >
      {children(state)}
      {failure.value !== '' && (
        <p class="notice bad" role="alert">
          {failure.value}
        </p>
      )}
      {(isOpen === true || may.write()) && (
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            {action}
          </button>
          {more?.(state)}
        </div>
      )}
    </form>
  );
}
