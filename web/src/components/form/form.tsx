import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ApiProblem } from '../../api/client';
import type { FieldProblem } from '../../api/types';
import { may } from '../../state/session';
import { errorMessage } from '../../state/toast';

/** What a form passes to its fields. */
export interface FormState {
  /** The message about the field at a JSON pointer, or about a field inside it. */
  problem: (pointer: string) => string | undefined;
  /** Runs a request; when the server refuses it, the fields show why. */
  run: (action: () => Promise<void>) => void;
  isBusy: boolean;
}

interface Props {
  save: () => Promise<void>;
  /** Label of the submit button. */
  action: string;
  /** Also without a write key: signing in. */
  isOpen?: boolean;
  /** Overrides the message about a failed request. */
  explain?: (error: unknown) => string;
  /** Further buttons. */
  more?: (state: FormState) => ComponentChildren;
  children: (state: FormState) => ComponentChildren;
}

/** A form that shows the server's validation errors at its fields. */
export function Form({ save, action, isOpen, explain = errorMessage, more, children }: Props) {
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
