import type { ConfigValue, Schema } from '../../logic/config-schema';
import type { FormState } from '../form/form';
import { SchemaFields } from '../form/schema-fields';

interface Props {
  type: string;
  /** The schema of the type's settings, or `undefined` if it has none. */
  schema: Schema | undefined;
  value: ConfigValue;
  problem: FormState['problem'];
  form: FormState;
  set: (value: ConfigValue) => void;
}

/** The settings that only one type of check has. The API document defines them. */
export function TypeSettings({ type, schema, value, problem, form, set }: Props) {
  if (!schema) return null;
  const isOpen = Object.keys(value).length > 0 || (schema.required ?? []).length > 0;
  return (
    <details open={isOpen || problem('/settings') !== undefined}>
      <summary>{type} settings</summary>
      <div class="form">
        <SchemaFields
          key={type}
          schema={schema}
          value={value}
          pointer="/settings"
          form={{ ...form, problem }}
          set={set}
        />
      </div>
    </details>
  );
}
