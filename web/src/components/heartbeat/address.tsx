import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import { home } from '../../api/home';
import type { Endpoint, Heartbeat } from '../../api/types';
import { pingUrl } from '../../logic/heartbeat';
import { heartbeatLines } from '../../logic/heartbeat-lines';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';
import { CopyButton } from '../copy';
import { confirmed } from '../dialog';
import { TabPanels } from '../form/tab-panels';
import { Button, Section } from '../layout';

interface Props {
  endpoint: Endpoint;
  of: Heartbeat;
  reload: () => void;
}

/**
 * Shows the ping URL and commands that send pings. The URL is hidden behind a button, because opening it sends a ping.
 */
export function Address({ endpoint: { id, name }, of, reload }: Props) {
  const isShown = useSignal(false);
  if (!may.write()) {
    return (
      <Section title="Ping URL">
        <p class="muted">Anyone with the ping URL can send pings, so you need the write role to see it.</p>
      </Section>
    );
  }
  const url = pingUrl(of, home());
  const rotate = async () => {
    const text = `${name} gets a new ping URL. Pings to the old URL are accepted for another 24 hours. Update your jobs before then, or their runs count as missed.`;
    if (!(await confirmed('Replace the ping URL', text))) return;
    await runAction(
      () => post(`/api/v1/endpoints/${id}/heartbeat/rotate`),
      'The ping URL was replaced. The old one works for 24 hours.',
    );
    isShown.value = true;
    reload();
  };
  return (
    <Section title="Ping URL">
      <p class="muted small">
        Opening this URL counts as a ping, even when a chat app previews the link. Store it where only the job can read
        it. Stay on this page to see the ping arrive.
      </p>
      <p class="actions below">
        <button type="button" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide the ping URL' : 'Show the ping URL'}
        </button>
        <CopyButton text={url} label="Copy the ping URL" />
        <Button onClick={rotate}>Replace the ping URL…</Button>
      </p>
      {isShown.value && (
        <>
          <pre class="address" tabIndex={0} role="region" aria-label="Ping URL">
            {url}
          </pre>
          <div class="beside lines">
            <TabPanels label="Where the job runs" tabs={heartbeatLines(url).map(panelOf)} />
          </div>
        </>
      )}
    </Section>
  );
}

/**
 * Returns a tab panel. If a title has a note in parentheses, such as `uptime run (start, run time)`, the note isn't
 * part of the tab.
 */
function panelOf({ title, text }: { title: string; text: string }) {
  const [, name = title, note] = /^(.+?)(?: \((.+)\))?$/.exec(title) ?? [];
  return [
    name,
    <>
      <p class="muted small">
        <code>JOB</code> stands for the command.{note !== undefined && ` This one ${note}.`}
      </p>
      <pre tabIndex={0} role="region" aria-label={`Lines for ${name}`}>
        {text}
      </pre>
      <p class="actions">
        <CopyButton text={text} label="Copy these lines" />
      </p>
    </>,
  ] as const;
}
