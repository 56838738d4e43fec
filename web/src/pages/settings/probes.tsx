import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, get, post } from '../../api/client';
import { loadDocument } from '../../api/document';
import type { CreatedProbe, Organization, Probe } from '../../api/types';
import { Empty } from '../../components/empty';
import { Check, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Data, DetailsButton, type Row, Section, Table } from '../../components/layout';
import { StatusPill } from '../../components/status';
import { bufferedText, clockText, isBefore, probeState, quotaText, seenText, worstFirst } from '../../logic/probe';
import { now } from '../../state/clock';
import { listen } from '../../state/live';
import { into, useEvery, useLoad } from '../../state/load';
import { itemOf } from '../../state/overview-store';
import { may } from '../../state/session';
import { PRIVATE, ProbeDetails } from './probe-details';
import { ProbeToken } from './probe-token';

/** Lists the organization's probes and the operator's shared probes, worst first, with a form for a new one. */
export function Probes() {
  const probes = useLoad('probes', (signal) => all<Probe>('/api/v1/probes', signal));
  const ours = useLoad('version', () => loadDocument().then(({ info }) => info.version)).data.value ?? null;
  const opened = useSignal('');
  useEvery(10, probes.reload);
  useEffect(() => {
    // Loads the overview, which includes the endpoints that monitor a probe.
    itemOf('');
    return listen({ probe: probes.reload, ready: probes.reload });
  }, []);
  const table = (list: readonly Probe[]) => {
    const rows = worstFirst(list, ours).flatMap((probe): [key: string, row: Row][] => {
      const isOpen = opened.value === probe.id;
      const row = rowOf(probe, ours, isOpen, () => (opened.value = isOpen ? '' : probe.id));
      const details = { wide: <ProbeDetails of={probe} ours={ours} reload={probes.reload} /> };
      return [[probe.id, row], ...(isOpen ? [[`${probe.id} details`, details] as [string, Row]] : [])];
    });
    return (
      <Table
        label="Probes"
        head={['Probe', 'Status', 'Seen', 'Version', '~Clock', '~Buffered', '~Dropped', 'Endpoints', '']}
        rows={rows.map(([, row]) => row)}
        keys={rows.map(([key]) => key)}
      />
    );
  };
  return (
    <Data of={probes}>
      {(list) => (
        <>
          {list.length === 0 ? (
            <Empty drawing="probes">
              <p>
                A probe runs checks from another location, such as an office, another region, or a private network. It
                connects to this service, fetches its checks, and sends back the results.
              </p>
              {!may.admin() && <p class="muted">An admin can add one.</p>}
            </Empty>
          ) : (
            <Section title="Probes">{table(list)}</Section>
          )}
          {may.admin() && (
            // The key keeps the token on the page when the list replaces the empty state.
            <Section key="add" title="Add a probe">
              <NewProbe used={list.length} onCreated={probes.reload} />
            </Section>
          )}
        </>
      )}
    </Data>
  );
}

const rowOf = (probe: Probe, ours: string | null, isOpen: boolean, toggle: () => void): Row => [
  <>
    <strong>{probe.name}</strong>
    {probe.shared && <span class="chip beside-name">shared</span>}
    <p class="muted small">
      {[probe.key, probe.region].filter((each) => each !== '' && each !== probe.name).join(' · ')}
    </p>
  </>,
  <StatusPill {...probeState(probe, ours)} />,
  seenText(probe.last_seen_at, now.value),
  <Version of={probe.version} ours={ours} />,
  clockText(probe.clock_offset_ms),
  bufferedText(probe),
  probe.dropped?.toLocaleString('en') ?? '–',
  probe.endpoint_count.toLocaleString('en'),
  !probe.shared && <DetailsButton of={probe.name} isOpen={isOpen} toggle={toggle} />,
];

/** Shows the probe's version, and the service's version if it is different. */
const Version = ({ of, ours }: { of: string | null; ours: string | null }) =>
  of === null ? (
    <>–</>
  ) : (
    <>
      {of}
      {ours !== null && of !== ours && (
        <p class="muted small">
          {isBefore(of, ours) ? 'older than' : 'not the same as'} this service, {ours}
        </p>
      )}
    </>
  );

function NewProbe({ used, onCreated }: { used: number; onCreated: () => void }) {
  const [key, name, region, isPrivate] = [useSignal(''), useSignal(''), useSignal(''), useSignal(false)];
  const made = useSignal<CreatedProbe | null>(null);
  const organization = useLoad(`probes of organization/${used}`, (signal) =>
    get<Organization>('/api/v1/organization', signal),
  );
  const quota = quotaText(organization.data.value?.quotas.probes);
  const create = async () => {
    made.value = null;
    made.value = await post<CreatedProbe>('/api/v1/probes', {
      key: key.value.trim(),
      ...(name.value.trim() !== '' && { name: name.value.trim() }),
      region: region.value.trim(),
      allow_private: isPrivate.value,
    });
    for (const each of [key, name, region]) each.value = '';
    isPrivate.value = false;
    onCreated();
  };
  return (
    <>
      <Form save={create} action="Add probe">
        {({ problem }) => (
          <>
            {quota !== null && <p class="notice warn">{quota}</p>}
            <div class="form-row times">
              <Text
                label="Key"
                hint="Endpoints refer to it. You cannot change it later."
                placeholder="fra"
                error={problem('/key')}
                value={key.value}
                set={into(key)}
              />
              <Text
                label="Name (optional)"
                placeholder={key.value || 'Frankfurt'}
                error={problem('/name')}
                value={name.value}
                set={into(name)}
              />
              <Text
                label="Region (optional)"
                placeholder="Europe"
                error={problem('/region')}
                value={region.value}
                set={into(region)}
              />
            </div>
            <Check label={PRIVATE} value={isPrivate.value} set={into(isPrivate)} />
          </>
        )}
      </Form>
      {made.value && (
        <ProbeToken key={made.value.id} token={made.value.token}>
          Copy the token of “{made.value.name}” now. It is shown only once.
        </ProbeToken>
      )}
    </>
  );
}
