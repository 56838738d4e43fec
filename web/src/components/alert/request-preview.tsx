import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { ContactPreview } from '../../api/types';
import type { ConfigValue } from '../../logic/config-schema';
import { bodyText, KIND_NAMES } from '../../logic/request-preview';
import { errorMessage } from '../../state/toast';
import { Select } from '../form/field';

/** How long the form must be unchanged before the service renders it. */
const PAUSE_MS = 400;

/** Shows the requests that the service would send with the settings in the form. Credentials are masked. */
export function RequestPreview({ type, config }: { type: string; config: ConfigValue }) {
  const messages = useSignal<ContactPreview['messages']>([]);
  const error = useSignal<string | null>(null);
  const kind = useSignal('triggered');
  const sent = JSON.stringify({ type, config });
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      post<ContactPreview>('/api/v1/contacts/preview', { type, config }).then(
        (preview) => {
          if (!isCurrent) return;
          messages.value = preview.messages;
          error.value = null;
        },
        (thrown: unknown) => {
          if (isCurrent) error.value = errorMessage(thrown);
        },
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [sent]);
  const shown = messages.value.find((message) => message.kind === kind.value) ?? messages.value[0];
  return (
    <section aria-label="Requests">
      <p class="muted small">The requests that the receiver gets, with made-up values. Credentials are masked.</p>
      {error.value !== null && <p class="notice warn">The settings are not complete yet: {error.value}</p>}
      {shown && (
        <>
          <Select
            label="Message"
            value={shown.kind}
            set={(next) => (kind.value = next)}
            options={messages.value.map((message) => [message.kind, KIND_NAMES[message.kind] ?? message.kind] as const)}
          />
          <pre tabIndex={0} role="region" aria-label="Request">
            {`${shown.method} ${shown.url}\n\n${bodyText(shown.body)}`}
          </pre>
        </>
      )}
    </section>
  );
}
