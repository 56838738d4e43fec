import { useSignal } from '@preact/signals';
import { jsonText, parsedTemplate } from '../../logic/template-text';
import { Field } from './field';

interface Props {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder: string;
  value: unknown;
  set: (value: unknown) => void;
}

/** An editor for the body of a webhook: JSON with placeholders. The text stays as it is typed. */
export function TemplateField({ label, hint, error, placeholder, value, set }: Props) {
  const typed = useSignal(jsonText(value));
  const { problem } = parsedTemplate(typed.value);
  return (
    <Field label={label} hint={hint} error={problem ?? error}>
      {(control) => (
        <textarea
          {...control}
          class="template"
          rows={8}
          spellcheck={false}
          placeholder={placeholder}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            set(parsedTemplate(typed.value).value);
          }}
        />
      )}
    </Field>
  );
}
