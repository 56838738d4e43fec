import { useSignal } from '@preact/signals';
import { Button } from '../layout';
import { Field } from './field';

interface Props {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  set: (value: string) => void;
  /** To be chosen: a password manager offers one, and does not fill in the one until now. */
  isNew?: boolean;
}

/** A password, with a button that shows it. */
export function Password({ label, hint, error, value, set, isNew }: Props) {
  const isShown = useSignal(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div class="amount">
          <input
            {...control}
            type={isShown.value ? 'text' : 'password'}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            autoCapitalize="off"
            spellcheck={false}
            value={value}
            onInput={(event) => set(event.currentTarget.value)}
          />
          <Button
            label={`${isShown.value ? 'Hide' : 'Show'}: ${label}`}
            onClick={() => {
              isShown.value = !isShown.value;
            }}
          >
            {isShown.value ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    </Field>
  );
}
