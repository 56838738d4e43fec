import { useState } from 'preact/hooks';
import { loadDocument } from '../../api/document';
import { at } from '../../api/home';
import type { AlertRule } from '../../api/types';
import { channelName } from '../../logic/channel-name';
import { messagesOf, type MessagePreview, webhookExample } from '../../logic/message-preview';
import type { ConfigValue } from '../../logic/config-schema';
import { useLoad } from '../../state/load';
import { RequestPreview } from './request-preview';

const WORDS: Record<MessagePreview['form'], string> = {
  mail: 'The emails when an endpoint goes down and when it recovers:',
  chat: 'The messages when an endpoint goes down and when it recovers:',
  sms: 'The text messages when an endpoint goes down and when it recovers:',
  event: 'The page when an endpoint goes down. It is closed when the endpoint recovers.',
};

/** Shows the messages for a made-up incident, as this channel would send them under the rule in the form. */
export function ChannelPreview({ type, rule, config = {} }: { type: string; rule: AlertRule; config?: ConfigValue }) {
  const [now] = useState(Date.now);
  if (type === 'webhook' && config['body'] !== undefined) return <RequestPreview type={type} config={config} />;
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
        The request body when an endpoint goes down. The request is signed. <a href={at('/docs/')}>The API reference</a>{' '}
        shows how to verify the signature.
      </p>
      <pre tabIndex={0} role="region" aria-label="Request body">
        {example === undefined ? '' : JSON.stringify(example, null, 2)}
      </pre>
    </>
  );
}
