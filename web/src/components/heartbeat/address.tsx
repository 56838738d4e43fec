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

/** Where the job reports, and the lines that do it. Behind a button: whoever opens the address pings. */
export function Address({ endpoint: { id, name }, of, reload }: Props) {
  const isShown = useSignal(false);
  if (!may.write()) {
    return (
      <Section title="Address">
        <p class="muted">Whoever has the address can ping, so this key does not see it.</p>
      </Section>
    );
  }
  const url = pingUrl(of, home());
  const rotate = async () => {
    const text = `${name} gets a new address. Jobs that ping the old one are heard for 24 hours more; then they are missed. Change them before that.`;
    if (!(await confirmed('Replace the address', text))) return;
    await runAction(
      () => post(`/api/v1/endpoints/${id}/heartbeat/rotate`),
      'The address is new. The old one works for 24 hours.',
    );
    isShown.value = true;
    reload();
  };
  return (
    <Section title="Address">
      <p class="muted small">
        Opening it is a ping, also by the preview of a chat: keep it where only the job reads it. Stay on this page to
        see the ping arrive.
      </p>
      <p class="actions below">
        <button type="button" aria-expanded={isShown.value} onClick={() => (isShown.value = !isShown.value)}>
          {isShown.value ? 'Hide the address' : 'Show the address'}
        </button>
        <CopyButton text={url} label="Copy the address" />
        <Button onClick={rotate}>Replace the address…</Button>
      </p>
      {isShown.value && (
        <>
          <pre class="address" tabIndex={0} role="region" aria-label="Address">
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

/** `systemd`, or `uptime run (start, run time)`: what stands in brackets is no part of the tab. */
function panelOf({ title, text }: { title: string; text: string }) {
  const [, name = title, note] = /^(.+?)(?: \((.+)\))?$/.exec(title) ?? [];
  return [
    name,
    <>
      <p class="muted small">
        <code>JOB</code> stands for the command.{note !== undefined && ` With this: ${note}.`}
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
