import { useSignal } from '@preact/signals';
import { channelName } from '../../logic/channel-name';
import { channelsFound } from '../../logic/channel-search';
import { useContacts } from '../../state/contacts';
import { Choice, Text } from '../form/field';

interface Props {
  types: readonly string[];
  value: string;
  error: string | undefined;
  set: (type: string) => void;
}

/** A select for the channel, with a search field for long lists. Channels that contacts use come first. */
export function ChannelChoice({ types, value, error, set }: Props) {
  const search = useSignal('');
  const used = new Set(useContacts().data.value?.map(({ type }) => type));
  const found = channelsFound(types, search.value, used);
  const shown = found.includes(value) ? found : [value, ...found];
  return (
    <>
      <Text
        label="Find a channel"
        type="search"
        hint={search.value === '' || found.length > 0 ? undefined : 'No channel has this name. Use a custom webhook.'}
        placeholder="ntfy, Matrix, pager …"
        value={search.value}
        set={(text) => {
          search.value = text;
          const [only, ...others] = channelsFound(types, text, used);
          if (text.trim() !== '' && only !== undefined && others.length === 0 && only !== value) set(only);
        }}
      />
      <Choice
        label="Channel"
        error={error}
        value={value}
        set={set}
        options={shown.map((type) => [type, channelName(type)] as const)}
      />
    </>
  );
}
