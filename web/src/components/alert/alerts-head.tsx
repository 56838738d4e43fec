import { may } from '../../state/session';
import { Icon } from '../icons';
import { Head, Tabs } from '../layout';

type Tab = 'rules' | 'contacts' | 'escalation' | 'events' | 'failed';

const TABS: readonly [key: Tab, title: string, href: string][] = [
  ['rules', 'Alert rules', '#/alerts'],
  ['contacts', 'Contacts', '#/contacts'],
  ['escalation', 'Escalation', '#/escalation'],
  ['events', 'Events', '#/alerts/events'],
  ['failed', 'Not delivered', '#/alerts/failed'],
];

export const AlertsHead = ({ current }: { current: Tab }) => (
  <>
    <Head
      title="Alerts"
      tab={TABS.find(([key]) => key === current)?.[1] ?? 'Alerts'}
      actions={
        may.write() && (
          <a class="button primary" href={current === 'contacts' ? '#/contacts/new' : '#/alerts/new'}>
            <Icon name="plus" /> {current === 'contacts' ? 'New contact' : 'New alert rule'}
          </a>
        )
      }
    />
    <Tabs label="Alerts" current={current} tabs={TABS} />
  </>
);
