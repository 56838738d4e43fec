import { useState } from 'preact/hooks';
import { loadDocument } from '../../api/document';
import { at } from '../../api/home';
import type { AlertRule } from '../../api/types';
import { channelName } from '../../logic/channel-name';
import { messagesOf, type MessagePreview, webhookExample } from '../../logic/message-preview';
import { useLoad } from '../../state/load';

const WORDS: Record<MessagePreview['form'], string> = {
  mail: 'Its mails when an endpoint goes down, and when it is up again:',
  chat: 'Its messages when an endpoint goes down, and when it is up again:',
  sms: 'Its text messages when an endpoint goes down, and when it is up again:',
  event: 'The page when an endpoint goes down. It is closed when that is up again.',
};

/** What arrives through a channel, of a made-up incident, as the rule of the form has it. */
export function ChannelPreview({ type, rule }: { type: string; rule: AlertRule }) {
  const [now] = useState(Date.now);
  if (type === 'webhook') return <WebhookPreview />;
  const { form, messages } = messagesOf(type, rule, now);
  return (
    <>
      <p class="muted small">{WORDS[form]}</p>
      {messages.slice(0, form === 'event' ? 1 : 2).map(({ tone, sentence, facts }) => (
        <article class={`message ${form} ${tone}`} key={sentence} aria-label={`Message by ${channelName(type)}`}>
          <p class="sentence">{sentence}</p>
          {facts.length > 0 && (
            <dl>
              {facts.map(({ label, value }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </article>
      ))}
    </>
  );
}

function WebhookPreview() {
  const example = useLoad('webhook-example', () => loadDocument().then(webhookExample)).data.value;
  return (
    <>
      <p class="muted small">
        The body of the request when an endpoint goes down. It is signed: <a href={at('/docs/')}>the reference</a> says
        how to verify it.
      </p>
      <pre tabIndex={0} role="region" aria-label="Body of the request">
        {example === undefined ? '' : JSON.stringify(example, null, 2)}
      </pre>
    </>
  );
}
