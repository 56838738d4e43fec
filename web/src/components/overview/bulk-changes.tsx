import { useSignal } from '@preact/signals';
import { put } from '../../api/client';
import type { OverviewItem } from '../../api/types';
import { changedTags } from '../../logic/bulk-tags';
import { count } from '../../logic/format';
import { checkable } from '../../logic/heartbeat';
import { tagsIn } from '../../logic/maintenance';
import { secondsOf, spanOf } from '../../logic/time-span';
import { runBulk } from '../../state/bulk';
import { into } from '../../state/load';
import { BulkContacts } from '../alert/bulk-contacts';
import { Dialog } from '../dialog';
import { Many } from '../form/chooser';
import { Text } from '../form/field';
import { Form } from '../form/form';
import { TimeSpanField } from '../form/time-span';
import { Button } from '../layout';

interface Change {
  list: readonly OverviewItem[];
  close: () => void;
}

const CHANGES = { Contacts: BulkContacts, Tags, Interval };
const NAMES = ['Contacts', 'Tags', 'Interval'] as const;

/** The buttons for actions that need a dialog, and the dialog that is open. */
export function BulkChanges({ list }: { list: readonly OverviewItem[] }) {
  const opened = useSignal<(typeof NAMES)[number] | null>(null);
  const Opened = opened.value && CHANGES[opened.value];
  const close = () => {
    opened.value = null;
  };
  return (
    <>
      {NAMES.map((name) => (
        <Button key={name} onClick={() => (opened.value = name)}>
          {name}…
        </Button>
      ))}
      {Opened && <Opened list={list} close={close} />}
    </>
  );
}

const cancel = (close: () => void) => () => <Button onClick={close}>Cancel</Button>;

function Tags({ list, close }: Change) {
  const added = useSignal('');
  const removed = useSignal<readonly string[]>([]);
  const present = [...new Set(list.flatMap(({ tags }) => tags))].sort();
  const save = async () => {
    const add = tagsIn(added.value);
    close();
    await runBulk('Tagged', list, async (item) => {
      const tags = changedTags(item.tags, add, removed.value);
      if (tags) await put(`/api/v1/endpoints/${item.id}`, { tags });
    });
  };
  return (
    <Dialog title={`Tags of ${count(list.length, 'endpoint')}`} onClose={close}>
      <Form save={save} action="Change tags" more={cancel(close)}>
        {() => (
          <>
            <Text label="Add" hint="Separated by spaces or commas." value={added.value} set={into(added)} autofocus />
            {present.length > 0 && (
              <Many
                label="Remove"
                placeholder="Tags of these endpoints"
                values={removed.value}
                set={into(removed)}
                options={present.map((tag) => [tag, tag] as const)}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

const UNITS = ['seconds', 'minutes', 'hours'] as const;
const DAY_SECONDS = 86_400;

function Interval({ list, close }: Change) {
  const { checked, leftOut } = checkable(list);
  const span = useSignal(spanOf(60, 'minutes'));
  const problem = useSignal<string | undefined>(undefined);
  const save = async () => {
    const interval = secondsOf(span.value) ?? 0;
    problem.value =
      interval >= 1 && interval <= DAY_SECONDS ? undefined : 'Enter an interval between one second and one day.';
    if (problem.value !== undefined) return;
    close();
    await runBulk('Changed', checked, (item) => put(`/api/v1/endpoints/${item.id}`, { interval }));
  };
  if (checked.length === 0) {
    return (
      <Dialog title="These endpoints have no check interval" onClose={close}>
        <p>Heartbeats have no check interval. Set their schedules individually.</p>
        {cancel(close)()}
      </Dialog>
    );
  }
  return (
    <Dialog title={`Check interval of ${count(checked.length, 'endpoint')}`} onClose={close}>
      {leftOut !== null && <p>{leftOut}</p>}
      <Form save={save} action="Change interval" more={cancel(close)}>
        {() => (
          <TimeSpanField label="Interval" error={problem.value} units={UNITS} value={span.value} set={into(span)} />
        )}
      </Form>
    </Dialog>
  );
}
