import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { problemText } from '../../logic/problem-text';
import { may } from '../../state/session';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  children: (control: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
    disabled: boolean;
  }) => ComponentChildren;
}

/** Whether users who can't change the configuration can use the form. */
export const Open = createContext(false);

/** A labeled control with a hint and an error message. It is disabled for read-only users. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const isOpen = useContext(Open);
  const notes: [string, string | undefined][] = [
    ['hint', hint],
    ['error', error && problemText(label, error)],
  ];
  const shown = notes.filter(([, text]) => text !== undefined);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        disabled: !isOpen && !may.write(),
        ...(shown.length > 0 && { 'aria-describedby': shown.map(([kind]) => id + kind).join(' ') }),
        ...(error !== undefined && { 'aria-invalid': true as const }),
      })}
      {shown.map(([kind, text]) => (
        <p class={kind} id={id + kind} key={kind}>
          {text}
        </p>
      ))}
    </div>
  );
}

type Common<T> = Omit<FieldProps, 'children'> & { value: T; set: (value: T) => void };
type TextProps = Common<string> & {
  type?: string;
  required?: boolean;
  placeholder?: string;
  min?: number;
  max?: number;
  autofocus?: boolean;
  autoComplete?: string;
  autocapitalize?: 'off' | 'words';
  readOnly?: boolean;
  onPaste?: ((event: ClipboardEvent) => void) | undefined;
};

/** A single-line field for text, a number, or a secret. */
export const Text = ({ label, hint, error, value, set, type = 'text', ...rest }: TextProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <input
        {...control}
        type={type}
        autoComplete={type === 'password' ? 'new-password' : 'off'}
        {...rest}
        spellcheck={false}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** A multi-line field. `set` is called when the field loses focus, so that a half-typed line isn't validated. */
export const Lines = ({ label, hint, error, value, set, placeholder }: Common<string> & { placeholder?: string }) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <textarea
        {...control}
        placeholder={placeholder}
        value={value}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )}
  </Field>
);

/** Values and their titles. The title defaults to the value. */
export type Options = readonly (string | readonly [value: string, title: string])[];

export const optionsOf = (options: Options) =>
  options.map((option) => {
    const [value, title] = typeof option === 'string' ? [option, option.replaceAll('_', ' ')] : option;
    return (
      <option key={value} value={value}>
        {title}
      </option>
    );
  });

export const Choice = ({ label, hint, error, value, set, options }: Common<string> & { options: Options }) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <select {...control} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {optionsOf(options)}
      </select>
    )}
  </Field>
);

/** A select without a visible label, for filters and table rows. */
export const Select = ({
  label,
  value,
  set,
  options,
}: {
  label: string;
  value: string;
  set: (value: string) => void;
  options: Options;
}) => (
  <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
    {optionsOf(options)}
  </select>
);

/** A labeled checkbox. Unlike other fields, it isn't disabled for read-only users. */
export function Check({
  label,
  value,
  set,
  disabled,
}: {
  label: string;
  value: boolean;
  set: (value: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div class="check-field">
      <input
        id={id}
        type="checkbox"
        checked={value}
        disabled={disabled}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </div>
  );
}
