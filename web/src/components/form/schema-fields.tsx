import type { Header } from '../../api/types';
import { type ConfigValue, kindOf, type Schema } from '../../logic/config-schema';
import { Check, Choice, Lines, Text } from './field';
import type { FormState } from './form';
import { HeaderList } from './header-list';

interface Props {
  schema: Schema;
  value: ConfigValue;
  /** JSON pointer of `value`, e.g. `/config`. */
  pointer: string;
  form: FormState;
  set: (value: ConfigValue) => void;
}

/** `webhook_url` → `Webhook URL`. */
const titled = (key: string): string =>
  (key.charAt(0).toUpperCase() + key.slice(1))
    .replaceAll('_', ' ')
    .replace(/\b(url|id|api|smtp)\b/gi, (word) => word.toUpperCase());

/** The fields of a schema, required ones first, with the descriptions of the API reference. */
export function SchemaFields({ schema, value, pointer, form, set }: Props) {
  const isRequired = (key: string) => schema.required?.includes(key) ?? false;
  const keys = Object.keys(schema.properties ?? {}).sort((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
  return (
    <>
      {keys.map((key) => (
        <SchemaField
          key={key}
          label={`${titled(key)}${isRequired(key) ? '' : ' (optional)'}`}
          schema={schema.properties?.[key] ?? {}}
          value={value[key]}
          pointer={`${pointer}/${key}`}
          form={form}
          set={(next) => set({ ...value, [key]: next })}
        />
      ))}
    </>
  );
}

interface FieldProps extends Pick<Props, 'schema' | 'pointer' | 'form'> {
  label: string;
  value: unknown;
  set: (value: unknown) => void;
}

function SchemaField({ label, schema, value, pointer, form, set }: FieldProps) {
  const kind = kindOf(schema);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const given = typeof schema.default === 'string' || typeof schema.default === 'number' ? String(schema.default) : '';
  // Descriptions are Markdown; a form shows plain text.
  const common = { label, hint: schema.description?.replaceAll('`', ''), error: form.problem(pointer) };

  switch (kind) {
    case 'boolean':
      return (
        <Check
          label={common.hint ?? label}
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
          value={Array.isArray(value) ? value.join('\n') : ''}
          set={(lines) => set(lines.split(/\s*\n\s*/).filter((line) => line !== ''))}
        />
      );
    case 'json':
      return (
        <Lines
          {...common}
          label={`${label}, as JSON`}
          value={value === undefined ? '' : JSON.stringify(value)}
          set={(json) => set(jsonOf(json))}
        />
      );
    case 'number':
    case 'secret':
    case 'text':
      return (
        <Text
          {...common}
          type={{ number: 'number', secret: 'password', text: 'text' }[kind]}
          placeholder={given}
          value={text}
          set={(typed) => set(kind === 'number' && typed !== '' ? Number(typed) : typed)}
        />
      );
    default:
      return kind satisfies never;
  }
}

/** Text that is not JSON is sent unchanged, so that the server reports the problem. */
function jsonOf(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
