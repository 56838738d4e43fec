import type { ConfigSchemas, ConfigValue } from '../../logic/config-schema';
import { lackText } from '../../logic/mail-account';
import { session } from '../../state/session';
import { ChannelChoice } from './channel-choice';
import type { FormState } from '../form/form';
import { SchemaFields } from '../form/schema-fields';

interface Channel {
  type: string;
  config: ConfigValue;
}

interface Props {
  form: FormState;
  schemas: ConfigSchemas;
  /** The stored channel. If the user selects its type again, its settings are restored. */
  stored: Channel | null;
  value: Channel;
  set: (changes: Partial<Channel>) => void;
}

/** Fields for the channel and its settings, which are defined in the API document. */
export function ChannelFields({ form, schemas, stored, value, set }: Props) {
  const lack = lackText(value.type, value.config, session.value?.has_mail_account === true);
  return (
    <>
      <ChannelChoice
        types={Object.keys(schemas)}
        error={form.problem('/type')}
        value={value.type}
        set={(type) => {
          form.clear();
          set({ type, config: type === stored?.type ? stored.config : {} });
        }}
      />
      {lack !== null && <p class="notice warn">{lack}</p>}
      <SchemaFields
        key={value.type}
        schema={schemas[value.type] ?? {}}
        value={value.config}
        pointer="/config"
        form={form}
        set={(config) => set({ config })}
      />
    </>
  );
}
