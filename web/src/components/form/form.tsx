import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { ApiProblem } from '../../api/client';
import type { FieldProblem } from '../../api/types';
import { helpForProblem } from '../../logic/help-topic';
import { problemText, titled } from '../../logic/problem-text';
import { discard } from '../../state/drafts';
import { address, arrivals, isFormPage } from '../../state/router';
import { may } from '../../state/session';
import { errorMessage } from '../../state/toast';
import { HelpLink } from '../help-link';
import { Open } from './field';

/** The state that a form passes to its fields. */
export interface FormState {
  /** Returns the message about the field at a JSON pointer, or about a field nested inside it. */
  problem: (pointer: string) => string | undefined;
  /** Sends a request. If the server rejects it, the fields show why. */
  run: (action: () => Promise<void>) => void;
  /** Clears the messages when their fields no longer exist. */
  clear: () => void;
  isBusy: boolean;
}

interface Props {
  save: () => Promise<void>;
  action: string;
  /** Whether read-only users can submit the form, for example to sign in or to change their own account. */
  isOpen?: boolean;
  /** Overrides the message for a failed request. */
  explain?: (error: unknown) => string;
  more?: (state: FormState) => ComponentChildren;
  children: (state: FormState) => ComponentChildren;
}

/** The fields that can have the focus when a form opens. */
const FIELDS = ':is(input, select, textarea):not(:disabled, [readonly])';

/** Whether the problem belongs to the field at `pointer`. */
const isAt = (pointer: string, problem: FieldProblem): boolean =>
  problem.pointer === pointer || problem.pointer.startsWith(`${pointer}/`);

/** Returns the message for a problem that no field shows, including the API's field name. */
const unplaced = ({ pointer, message }: FieldProblem): string =>
  problemText(titled(pointer.split('/').at(-1) ?? ''), message);

/**
 * A form that shows the server's validation errors at the corresponding fields. Other errors are shown below the
 * fields.
 */
export function Form({ save, action, isOpen, explain = errorMessage, more, children }: Props) {
  const errors = useSignal<readonly FieldProblem[]>([]);
  const failure = useSignal('');
  const help = useSignal<string | null>(null);
  const isOvertaken = useSignal(false);
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  /** The pointers that fields have requested since the form was rendered. Fields render after the form. */
  const asked = useRef(new Set<string>());
  asked.current.clear();
  const elsewhere = useSignal<readonly FieldProblem[]>([]);
  useLayoutEffect(() => {
    const pointers = [...asked.current];
    elsewhere.value = errors.value.filter((error) => !pointers.some((pointer) => isAt(pointer, error)));
    if (errors.value.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [errors.value]);

  const clear = () => {
    errors.value = [];
    failure.value = '';
    help.value = null;
    isOvertaken.value = false;
  };

  const run = async (work: () => Promise<void>) => {
    isBusy.value = true;
    clear();
    try {
      await work();
    } catch (error) {
      const problem = error instanceof ApiProblem && explain === errorMessage ? error : null;
      errors.value = problem?.errors ?? [];
      failure.value = problem?.message ?? explain(error);
      help.value = problem && helpForProblem(problem.code);
      isOvertaken.value = problem?.code === 'precondition_failed';
    }
    isBusy.value = false;
  };
  // A page that is a form starts in its first field. Other pages start at their title.
  useEffect(() => {
    const isPage = isFormPage.peek() && document.querySelector('main form') === form.current;
    if (isPage) form.current?.querySelector<HTMLElement>(FIELDS)?.focus();
  }, [arrivals.value]);

  const state: FormState = {
    isBusy: isBusy.value,
    run: (work) => void run(work),
    clear,
    problem: (pointer) => {
      asked.current.add(pointer);
      return errors.value.find((error) => isAt(pointer, error))?.message;
    },
  };
  return (
    <form
      ref={form}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        state.run(save);
      }}
    >
      <Open.Provider value={isOpen === true}>{children(state)}</Open.Provider>
      {failure.value !== '' && (
        <p class="notice bad" role="alert">
          {[failure.value, ...elsewhere.value.map(unplaced)].join(' ')}
          {help.value !== null && (
            <>
              {' '}
              <HelpLink page={help.value}>What to do</HelpLink>
            </>
          )}
          {isOvertaken.value && (
            <>
              {' Your changes were not saved. '}
              <button type="button" onClick={() => discard(address.peek())}>
                Reload
              </button>
            </>
          )}
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
