import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, get, post, put, remove, text } from '../api/client';
import { home } from '../api/home';
import type { CreatedReportLink, Organization, ReportLink, UptimeReport, Website } from '../api/types';
import { CopyButton } from '../components/copy';
import { Dialog } from '../components/dialog';
import { Empty } from '../components/empty';
import { Choice, Select, Text } from '../components/form/field';
import { Button, Data, Head, Section, Table } from '../components/layout';
import { day } from '../logic/format';
import { tagsOf } from '../logic/overview-order';
import { reasonText } from '../logic/reason-text';
import {
  dayKind,
  monthAfter,
  monthName,
  monthText,
  reportQuery,
  shareText,
  spanText,
  timeText,
  VERDICTS,
} from '../logic/report';
import { now } from '../state/clock';
import { into, useLoad } from '../state/load';
import { items, refresh } from '../state/overview-store';
import { route, setQuery } from '../state/router';
import { may } from '../state/session';
import { runAction, showToast } from '../state/toast';
import '../styles/report.css';

type Endpoint = UptimeReport['endpoints'][number];
type Verdict = UptimeReport['total']['verdict'];

const TARGETS = ['99', '99.5', '99.9', '99.95', '99.99', '100'];
const EXPIRIES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '1 year'],
] as const;

/** The uptime of endpoints in a month, compared with a target. The selection is in the URL. */
export function ReportsPage() {
  const organization = useLoad('organization', (signal) => get<Organization>('/api/v1/organization', signal));
  return <Data of={organization}>{(loaded) => <Report organization={loaded} reload={organization.reload} />}</Data>;
}

/** The parameters of the report's routes, from the URL of the page. */
function selected(organization: Organization) {
  const { query } = route.value;
  const zone = query.get('timezone') ?? organization.timezone;
  return {
    month: query.get('month') ?? currentMonth(zone),
    timezone: zone,
    target: query.get('target') ?? '99.9',
    website_id: query.get('website_id') ?? '',
    tag: query.get('tag') ?? '',
  };
}
type Selection = ReturnType<typeof selected>;

/** Returns the month that a time zone's calendar shows now. */
function currentMonth(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { year: 'numeric', month: '2-digit', timeZone }).formatToParts(now.value);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}`;
}

function Report({ organization, reload }: { organization: Organization; reload: () => void }) {
  const selection = selected(organization);
  const query = reportQuery(selection);
  const report = useLoad(query, (signal) => get<UptimeReport>(`/api/v1/reports/uptime?${query}`, signal));
  const links = useLoad('report-links', (signal) => all<ReportLink>('/api/v1/reports/links', signal));
  const isSharing = useSignal(false);
  const save = async () => {
    const csv = await text(`/api/v1/reports/uptime?${query}`, 'text/csv');
    download(`uptime-${selection.month}.csv`, csv);
  };
  return (
    <div class="report">
      <Head
        title={`Uptime report, ${monthText(selection.month)}`}
        actions={
          <>
            <Button onClick={() => runAction(save)}>CSV</Button>
            <Button onClick={() => print()}>Print or PDF</Button>
            {may.write() && (
              <Button class="primary" onClick={() => (isSharing.value = true)}>
                Share link
              </Button>
            )}
          </>
        }
      />
      <Choices organization={organization} selection={selection} reload={reload} />
      <Data of={report}>{(loaded) => <Content report={loaded} selection={selection} />}</Data>
      {isSharing.value && (
        <ShareDialog selection={selection} onClose={() => (isSharing.value = false)} onShared={links.reload} />
      )}
      <Data of={links}>{(list) => <Links links={list} reload={links.reload} />}</Data>
    </div>
  );
}

function download(name: string, csv: string): void {
  const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

interface ChoicesProps {
  organization: Organization;
  selection: Selection;
  reload: () => void;
}

/** Selects the month, the endpoints, the target, and the time zone. */
function Choices({ organization, selection, reload }: ChoicesProps) {
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal)).data.value ?? [];
  useEffect(() => {
    if (items.value === null) void refresh();
  }, []);
  const { month, timezone: zone, target, website_id: website, tag } = selection;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set([zone, organization.timezone, own, 'UTC'])];
  const tags = tagsOf(items.value ?? [], websites).map(([name]) => name);
  const isLast = month >= currentMonth(zone);
  const scope = website !== '' ? `w ${website}` : tag !== '' ? `t ${tag}` : '';
  const choose = (value: string) =>
    setQuery({
      website_id: value.startsWith('w ') ? value.slice(2) : null,
      tag: value.startsWith('t ') ? value.slice(2) : null,
    });
  const keep = () =>
    runAction(async () => {
      await put('/api/v1/organization', { timezone: zone });
      reload();
      showToast(`Reports use ${zone} by default.`);
    });
  return (
    <div class="choices" role="group" aria-label="Report">
      <span class="months">
        <Button label="Previous month" onClick={() => setQuery({ month: monthAfter(month, -1) })}>
          ‹
        </Button>
        <span>{monthText(month)}</span>
        <Button label="Next month" disabled={isLast} onClick={() => setQuery({ month: monthAfter(month, 1) })}>
          ›
        </Button>
      </span>
      <Select
        label="Endpoints"
        value={scope}
        set={choose}
        options={[
          ['', 'All endpoints'],
          ...(tag !== '' && !tags.includes(tag) ? [[`t ${tag}`, `Tag: ${tag}`] as const] : []),
          ...tags.map((name) => [`t ${name}`, `Tag: ${name}`] as const),
          ...websites.map(({ id, name }) => [`w ${id}`, `Website: ${name}`] as const),
        ]}
      />
      <Select
        label="Target"
        value={target}
        set={(value) => setQuery({ target: value })}
        options={[...new Set([target, ...TARGETS])]
          .sort((a, b) => Number(a) - Number(b))
          .map((value) => [value, `Target ${value}%`] as const)}
      />
      <Select
        label="Time zone"
        value={zone}
        set={(value) => setQuery({ timezone: value })}
        options={zones.map((name) => [name, name.replaceAll('_', ' ')] as const)}
      />
      {may.admin() && zone !== organization.timezone && (
        <Button onClick={() => void keep()}>Use for the organization</Button>
      )}
    </div>
  );
}

const PILLS = { met: 'up', missed: 'down', on_track: 'up', no_data: 'unknown' } as const;

const VerdictPill = ({ verdict, isTotal = false }: { verdict: Verdict; isTotal?: boolean }) => (
  <span class={`status ${PILLS[verdict]}`}>{VERDICTS[verdict][isTotal ? 1 : 0]}</span>
);

function Content({ report, selection }: { report: UptimeReport; selection: Selection }) {
  const { total, endpoints, month, timezone: zone, target, until, to } = report;
  const website = endpoints.find(({ website_id: id }) => id === selection.website_id)?.website_name;
  const of = selection.tag !== '' ? `tag ${selection.tag}` : website;
  if (endpoints.length === 0)
    return (
      <Empty drawing="page">
        <h2>No endpoints</h2>
        <p>Choose another tag or website.</p>
      </Empty>
    );
  return (
    <>
      <p class="muted">
        Target {target}%{of !== undefined && ` for ${of}`} · {zone} · planned maintenance excluded · coverage{' '}
        {shareText(total.coverage, 1)}
        {until !== to && ` · up to ${timeText(until, zone)}`}
      </p>
      <Tiles total={total} />
      <Table
        label="Endpoints"
        head={[
          'Endpoint',
          `Every day of ${monthName(month)}`,
          '#Availability',
          '#Downtime',
          '#Budget left',
          '#Coverage',
          'Target',
        ]}
        keys={endpoints.map(({ id }) => id)}
        rows={endpoints.map((endpoint) => [
          <>
            <a href={`#/endpoints/${endpoint.id}`}>{endpoint.name}</a>
            <br />
            <span class="small muted">{endpoint.website_name}</span>
          </>,
          <Days endpoint={endpoint} />,
          shareText(endpoint.availability),
          spanText(endpoint.downtime_seconds),
          endpoint.verdict === 'no_data' ? '–' : spanText(endpoint.budget_left_seconds),
          shareText(endpoint.coverage, 1),
          <VerdictPill verdict={endpoint.verdict} />,
        ])}
      />
      <Outages report={report} />
    </>
  );
}

function Tiles({ total }: { total: UptimeReport['total'] }) {
  const { longest_incident_seconds: longest, acknowledge_seconds: acknowledged } = total;
  return (
    <dl class="report-figures">
      <div>
        <dt>Availability</dt>
        <dd>{shareText(total.availability)}</dd>
        <dd>
          <VerdictPill verdict={total.verdict} isTotal />
        </dd>
      </div>
      <div>
        <dt>Downtime</dt>
        <dd>{spanText(total.downtime_seconds)}</dd>
        <dd>of {spanText(total.allowed_seconds)} allowed</dd>
      </div>
      <div>
        <dt>Incidents</dt>
        <dd>{total.incidents}</dd>
        <dd>{longest === null ? 'None in this month' : `Longest ${spanText(longest)}`}</dd>
      </div>
      <div>
        <dt>Time to acknowledge</dt>
        <dd>{acknowledged === null ? '–' : spanText(acknowledged)}</dd>
        <dd>Median</dd>
      </div>
    </dl>
  );
}

/** One bar per day. Its color shows the severity, and a mark below it shows a day with downtime. */
function Days({ endpoint: { days } }: { endpoint: Endpoint }) {
  const bad = days.filter(({ downtime_seconds: down }) => down > 0).length;
  const label = bad === 0 ? 'No day with downtime' : `${bad} ${bad === 1 ? 'day' : 'days'} with downtime`;
  return (
    <span class="days" role="img" aria-label={label}>
      {days.map((each) => (
        <i
          key={each.date}
          class={dayKind(each)}
          title={`${day(`${each.date}T12:00:00`)}: ${shareText(each.availability)}${each.downtime_seconds > 0 ? `, down for ${spanText(each.downtime_seconds)}` : ''}`}
        />
      ))}
    </span>
  );
}

function Outages({ report: { outages, total, timezone: zone } }: { report: UptimeReport }) {
  const rest = total.outages - outages.filter(({ planned }) => !planned).length;
  return (
    <Section title="Outages">
      {outages.length === 0 ? (
        <p class="muted">No outages in this month.</p>
      ) : (
        <Table
          label="Outages"
          head={['Endpoint', 'Started', 'Duration', 'Reason']}
          rows={outages.map((outage) => [
            <a href={`#/endpoints/${outage.endpoint_id}`}>{outage.endpoint_name}</a>,
            <time dateTime={outage.started_at}>{timeText(outage.started_at, zone)}</time>,
            `${outage.ended_at === null ? 'ongoing, ' : ''}${spanText(outage.duration_seconds)}`,
            <>
              {outage.error === null ? 'Unknown' : (reasonText(outage.error.code) ?? outage.error.message)}
              {outage.planned && <span class="muted"> (planned, not counted)</span>}
            </>,
          ])}
        />
      )}
      {rest > 0 && <p class="small muted">{rest} earlier outages are not listed. The API has all of them.</p>}
    </Section>
  );
}

interface ShareProps {
  selection: Selection;
  onClose: () => void;
  onShared: () => void;
}

/** Creates a link. Its URL is shown only here, because the service stores no token. */
function ShareDialog({ selection, onClose, onShared }: ShareProps) {
  const title = useSignal('Uptime report');
  const days = useSignal('30');
  const url = useSignal<string | null>(null);
  const share = async () => {
    const { month, timezone, target, website_id, tag } = selection;
    const link = await post<CreatedReportLink>('/api/v1/reports/links', {
      title: title.value,
      month,
      timezone,
      target: Number(target),
      ...(website_id !== '' && { website_id }),
      ...(tag !== '' && { tag }),
      expires_in_days: Number(days.value),
    });
    url.value = `${home()}/reports/${link.path.split('/').at(-1) ?? ''}`;
    onShared();
  };
  return (
    <Dialog title="Share this report" onClose={onClose}>
      {url.value === null ? (
        <div class="form">
          <p class="muted">
            Anyone with the link can read the report for {monthText(selection.month)}. It shows names, numbers, and
            general reasons, and never a URL or an error message.
          </p>
          <Text label="Title" value={title.value} set={into(title)} autofocus />
          <Choice label="Expires after" value={days.value} set={into(days)} options={EXPIRIES} />
          <div class="actions">
            <Button class="primary" onClick={() => runAction(share)}>
              Create link
            </Button>
            <Button onClick={onClose}>Cancel</Button>
          </div>
        </div>
      ) : (
        <div class="form">
          <Text
            label="Link"
            hint="The link is shown only this once."
            value={url.value}
            set={() => undefined}
            readOnly
          />
          <div class="actions">
            <CopyButton text={url.value} label="Copy link" />
            <Button onClick={onClose}>Done</Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** The links that were shared, which can be deleted. */
function Links({ links, reload }: { links: readonly ReportLink[]; reload: () => void }) {
  if (links.length === 0) return null;
  const destroy = (link: ReportLink) =>
    runAction(async () => {
      await remove(`/api/v1/reports/links/${link.id}`);
      reload();
      showToast('The link is deleted.');
    });
  return (
    <Section title="Shared links">
      <Table
        label="Shared links"
        head={['Title', 'Month', 'Endpoints', 'Expires', '']}
        keys={links.map(({ id }) => id)}
        rows={links.map((link) => [
          link.title,
          monthText(link.month),
          link.tag !== null ? `Tag: ${link.tag}` : link.website_id !== null ? 'One website' : 'All',
          Date.parse(link.expires_at) <= now.value ? 'Expired' : day(link.expires_at),
          may.write() && (
            <Button
              class="plain"
              label={`Delete ${link.title}, ${monthText(link.month)}`}
              onClick={() => destroy(link)}
            >
              Delete
            </Button>
          ),
        ])}
      />
    </Section>
  );
}
