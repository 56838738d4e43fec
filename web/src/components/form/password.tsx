import { useSignal } from '@preact/signals';
import { Button } from '../layout';
import { Field } from './field';

interface Props {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: string;
  set: (value: string) => void;
  /**
   * Whether this is a new password. Password managers then offer to generate one instead of filling in the current one.
   */
  isNew?: boolean;
}

/** A password field with a button to show the password. */
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
