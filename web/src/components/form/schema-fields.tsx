import { nonEmptyLines } from '../../../../src/platform/text/non-empty-lines';
import type { Header } from '../../api/types';
import { useSignal } from '@preact/signals';
import { type ConfigValue, fieldsOf, kindOf, type Schema, textsOf } from '../../logic/config-schema';
import { titled } from '../../logic/problem-text';
import { Check, Choice, Lines, Text } from './field';
import type { FormState } from './form';
import { HeaderList } from './header-list';
import { TemplateField } from './template-field';

interface Props {
  schema: Schema;
  value: ConfigValue;
  /** The JSON pointer to `value`, such as `/config`. */
  pointer: string;
  form: FormState;
  set: (value: ConfigValue) => void;
}

/** The fields in a schema, required ones first, with descriptions and examples from the API reference. */
export const SchemaFields = ({ schema, value, pointer, form, set }: Props) => (
  <>
    {fieldsOf(schema, value).map(({ key, schema: each, isRequired }) => (
      <SchemaField
        key={key}
        label={`${each.title ?? titled(each['x-alias-of'] ?? key)}${isRequired ? '' : ' (optional)'}`}
        schema={each}
        value={value[key]}
        pointer={`${pointer}/${key}`}
        form={form}
        set={(next) => set({ ...value, [key]: next })}
      />
    ))}
  </>
);

interface FieldProps extends Pick<Props, 'schema' | 'pointer' | 'form'> {
  label: string;
  value: unknown;
  set: (value: unknown) => void;
}

function SchemaField({ label, schema, value, pointer, form, set }: FieldProps) {
  const kind = kindOf(schema);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const given = typeof schema.default === 'string' || typeof schema.default === 'number' ? String(schema.default) : '';
  // Descriptions are Markdown, but the form shows plain text.
  const common = { label, hint: schema.description?.replaceAll('`', ''), error: form.problem(pointer) };
  const example = given === '' && schema.example !== undefined ? exampleOf(schema.example) : given;

  switch (kind) {
    case 'boolean':
      return (
        <Check
          label={schema.title ?? common.hint ?? label}
          value={value === undefined ? schema.default === true : value === true}
          set={set}
        />
      );
    case 'group':
      return (
        <details open={value !== undefined || common.error !== undefined}>
          <summary>{label}</summary>
          <div class="form">
            <p class="muted small">{common.hint}</p>
            <SchemaFields
              schema={schema}
              value={(value ?? {}) as ConfigValue}
              pointer={pointer}
              form={form}
              set={set}
            />
          </div>
        </details>
      );
    case 'pairs':
      return <HeaderList label={label} list={(value ?? []) as Header[]} error={common.error} set={set} />;
    case 'choice':
      return (
        <Choice
          {...common}
          value={text}
          set={set}
          options={[['', given === '' ? '–' : `Default (${given})`], ...(schema.enum ?? [])]}
        />
      );
    case 'lines':
      return (
        <Lines
          {...common}
          label={`${label}, one per line`}
          placeholder={example}
          value={Array.isArray(value) ? value.join('\n') : ''}
          set={(lines) => set(nonEmptyLines(lines))}
        />
      );
    case 'json':
      return (
        <Lines
          {...common}
          label={`${label}, as JSON`}
          placeholder={example}
          value={value === undefined ? '' : JSON.stringify(value)}
          set={(json) => set(jsonOf(json))}
        />
      );
    case 'template':
      return (
        <TemplateField {...common} placeholder={JSON.stringify(schema.example, null, 2)} value={value} set={set} />
      );
    case 'texts':
      return <Texts {...common} placeholder={example} value={value} set={set} />;
    case 'number':
    case 'secret':
    case 'text':
      return (
        <Text
          {...common}
          type={{ number: 'number', secret: 'password', text: 'text' }[kind]}
          placeholder={example}
          value={text}
          set={(typed) => set(kind === 'number' && typed !== '' ? Number(typed) : typed)}
        />
      );
    default:
      return kind satisfies never;
  }
}

function exampleOf(example: unknown): string {
  if (typeof example === 'string' || typeof example === 'number') return String(example);
  const isTexts = Array.isArray(example) && example.every((each) => typeof each === 'string');
  return isTexts ? example.join('\n') : JSON.stringify(example);
}

/** Edits one string, or several separated by commas. The typed text is kept as is, even with a trailing comma. */
function Texts({
  value,
  set,
  ...common
}: {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder: string;
  value: unknown;
  set: (value: unknown) => void;
}) {
  const typed = useSignal(Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : '');
  return (
    <Text
      {...common}
      value={typed.value}
      set={(text) => {
        typed.value = text;
        set(textsOf(text));
      }}
    />
  );
}

/** Returns the parsed JSON. Text that isn't JSON is returned unchanged, so that the server reports the problem. */
function jsonOf(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
