import { useSignal } from '@preact/signals';
import type { Ping } from '../../api/types';
import { ms, time } from '../../logic/format';
import { cutText, pingText } from '../../logic/heartbeat';
import { now } from '../../state/clock';
import { usePages } from '../../state/load';
import { Button, DetailsButton, Facts, type Row, Section, Table } from '../layout';
import { Shape } from '../status';

interface Props {
  endpointId: string;
  /** Changes when there may be newer pings. */
  version: string;
}

const STATUS = { success: 'up', fail: 'down', start: 'unknown', log: 'unknown' } as const;

/** Lists all pings of a job, newest first, with the output of its last run. */
export function Pings({ endpointId, version }: Props) {
  const open = useSignal('');
  const pings = usePages<Ping>(`/api/v1/endpoints/${endpointId}/pings?limit=20`, version);
  const list = pings.items.value;
  if (list === null) return null;
  const last = list.find(({ body }) => body !== null);
  const rows = list.flatMap((ping): Row[] => {
    const isOpen = open.value === ping.id;
    const at = time(ping.created_at, now.value);
    const row: Row = [
      at,
      <span class={`status ${STATUS[ping.kind]}`}>
        <Shape status={STATUS[ping.kind]} />
        {pingText(ping)}
      </span>,
      ms(ping.duration_ms),
      <span class="mono">{ping.address ?? '–'}</span>,
      <DetailsButton of={`the ping at ${at}`} isOpen={isOpen} toggle={() => (open.value = isOpen ? '' : ping.id)} />,
    ];
    return isOpen ? [row, { wide: <Details of={ping} /> }] : [row];
  });
  return (
    <>
      {last && (
        <Section title="Last output">
          <p class="muted small">
            {pingText(last)}, {time(last.created_at, now.value)}
          </p>
          <Output of={last} label="Last output" />
        </Section>
      )}
      <Section title="Pings">
        {rows.length === 0 ? (
          <p class="muted">No pings yet. The first one appears here as soon as it arrives.</p>
        ) : (
          <Table label="Pings" head={['Time', 'Ping', 'Run time', '~Address', '']} rows={rows} />
        )}
        {pings.older && <Button onClick={pings.older}>Older pings</Button>}
      </Section>
    </>
  );
}

function Output({ of, label }: { of: Ping; label: string }) {
  const cut = cutText(of);
  return (
    <>
      {of.body !== null && (
        <pre class="output" tabIndex={0} role="region" aria-label={label}>
          {of.body}
        </pre>
      )}
      {cut && <p class="muted small">{cut}.</p>}
    </>
  );
}

const Details = ({ of }: { of: Ping }) => (
  <>
    <Facts
      of={[
        ['Exit code', of.exit_code ?? 'not sent'],
        ['Run', <span class="mono">{of.run_id ?? 'not given'}</span>],
        ['From', <span class="mono">{of.address ?? 'unknown'}</span>],
        ['Output', of.body_bytes === 0 ? 'none' : <Output of={of} label={`Output of ${of.id}`} />],
      ]}
    />
  </>
);
