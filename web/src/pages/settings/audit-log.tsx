import { useSignal } from '@preact/signals';
import { all, query } from '../../api/client';
import type { AuditEntry, Person } from '../../api/types';
import { Empty } from '../../components/empty';
import { Choice } from '../../components/form/field';
import { Button, Skeleton, Table } from '../../components/layout';
import { authorOf, changesOf, RESOURCES, sentenceOf } from '../../logic/audit-text';
import { time, words } from '../../logic/format';
import { now } from '../../state/clock';
import { useContacts } from '../../state/contacts';
import { useLoad, usePages } from '../../state/load';
import { itemOf } from '../../state/overview-store';
import { route, setQuery } from '../../state/router';

/** The filter options, as a number of days back. */
const PERIODS = [
  ['', 'Any time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
] as const;

const since = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() - Number(days) * 86_400_000).toISOString();

/** Lists who changed what, newest first. */
export function AuditLog() {
  const filters = ['resource', 'person', 'days'].map((name) => route.value.query.get(name) ?? '');
  const [resource = '', person = '', days = ''] = filters;
  const people = useLoad('people', (signal) => all<Person>('/api/v1/people', signal)).data.value ?? [];
  return (
    <>
      <div class="filters">
        <Choice
          label="What"
          value={resource}
          set={(value) => setQuery({ resource: value })}
          options={[['', 'Everything'], ...RESOURCES.map((each): [string, string] => [each, words(each)])]}
        />
        {(people.length > 0 || person !== '') && (
          <Choice
            label="Who"
            value={person}
            set={(value) => setQuery({ person: value })}
            options={[
              ['', 'Anyone'],
              ...people.map(({ id, name }): [string, string] => [id, name]),
              ...(person === '' || people.some(({ id }) => id === person)
                ? []
                : [[person, 'a former member'] as const]),
            ]}
          />
        )}
        <Choice label="When" value={days} set={(value) => setQuery({ days: value })} options={PERIODS} />
      </div>
      <Entries key={filters.join(' ')} resource={resource} person={person} days={days} people={people} />
    </>
  );
}

interface EntriesProps {
  resource: string;
  person: string;
  days: string;
  people: readonly Person[];
}

function Entries({ resource, person, days, people }: EntriesProps) {
  // A fixed time, so that all pages of a list have the same start.
  const from = useSignal(since(days));
  const filters = query({ resource, person_id: person, since: from.value });
  const entries = usePages<AuditEntry>(`/api/v1/audit-log${filters}`, 0);
  const contacts = useContacts();
  const nameOf = (id: string) =>
    itemOf(id)?.name ?? [...people, ...(contacts.data.value ?? [])].find((each) => each.id === id)?.name;
  const list = entries.items.value;
  if (!list) return <Skeleton />;
  return (
    <>
      {list.length === 0 && (
        <Empty drawing="calm">
          <p>No changes.</p>
        </Empty>
      )}
      {list.length > 0 && (
        <Table
          label="Audit log"
          head={['When', 'What', 'By']}
          rows={list.map((entry) => [
            time(entry.created_at, now.value),
            <What entry={entry} nameOf={nameOf} />,
            authorOf(entry.author),
          ])}
        />
      )}
      {entries.older && <Button onClick={entries.older}>Older entries</Button>}
    </>
  );
}

function What({ entry, nameOf }: { entry: AuditEntry; nameOf: (id: string) => string | undefined }) {
  const changes = changesOf(entry);
  if (changes.length === 0) return <>{sentenceOf(entry, nameOf)}</>;
  return (
    <details>
      <summary>{sentenceOf(entry, nameOf)}</summary>
      <dl class="facts">
        {changes.flatMap(({ name, from, to }) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}=`} class="mono">
            {from !== null && <del>{from}</del>} {to !== null && <ins>{to}</ins>}
          </dd>,
        ])}
      </dl>
      <code>{entry.resource_id}</code>
    </details>
  );
}
