import type { ComponentChildren } from 'preact';
import { CopyButton } from '../copy';
import { type Call, Curl } from './api-call';
import { TabPanels } from './tab-panels';

interface Props {
  preview?: ComponentChildren;
  call: Call;
  /** The same resource as a configuration document. `null` if the user can't apply one. */
  yaml?: string | null;
  /** Whether it remains visible while a long form is scrolled. */
  stays?: boolean;
}

/** Shows, next to a form, what the form creates and how to create it without the form. */
export function Beside({ preview, call, yaml = null, stays = false }: Props) {
  const tabs: [title: string, content: ComponentChildren][] = [];
  if (preview) tabs.push(['Preview', preview]);
  tabs.push(['curl', <Curl {...call} />]);
  if (yaml !== null) tabs.push(['YAML', <Yaml text={yaml} />]);
  return (
    <div class={`beside${stays ? ' stays' : ''}`}>
      <TabPanels label="Preview and code" tabs={tabs} />
    </div>
  );
}

const Yaml = ({ text }: { text: string }) => (
  <>
    <p class="muted small">
      A file for <code>uptime plan</code> and <code>uptime apply</code>. Supply the value of each <code>$secret</code>{' '}
      under its name.
    </p>
    <pre tabIndex={0} role="region" aria-label="YAML document">
      {text}
    </pre>
    <p class="actions">
      <CopyButton text={text} label="Copy YAML" />
    </p>
  </>
);
