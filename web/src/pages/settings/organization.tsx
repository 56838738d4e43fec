import { get } from '../../api/client';
import type { Organization } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { Button, Data, Facts, Section, Table } from '../../components/layout';
import { useLoad } from '../../state/load';
import { session, signOut } from '../../state/session';
import { runAction } from '../../state/toast';

const LIMITS: readonly [keyof Organization['quotas'], string][] = [
  ['websites', 'Websites'],
  ['endpoints', 'Endpoints'],
  ['checks_per_second', 'Checks per second that endpoints need'],
  ['alerts', 'Alert rules'],
  ['alerts_per_endpoint', 'Alert rules of one endpoint'],
  ['people', 'Members, with open invitations'],
  ['api_keys', 'API keys'],
  ['probes', 'Probes'],
  ['status_pages', 'Status pages'],
  ['streams', 'Concurrent live streams'],
  ['changed_bytes_per_day', 'Bytes added by changes today (UTC)'],
];

/** Returns the amount used. If at least 80 % of the limit is used, the percentage is included. */
function inUse({ used, limit }: Organization['quotas']['websites']): string {
  if (used === null) return '–';
  const share = limit === null || limit === 0 ? 0 : Math.floor((100 * used) / limit);
  return used.toLocaleString('en') + (share >= 80 ? ` (${share} %)` : '');
}

/** Shows the organization, its usage and limits, and links to the user's other organizations. */
export function OrganizationFacts() {
  const organization = useLoad('organization', (signal) => get<Organization>('/api/v1/organization', signal));
  return (
    <Data of={organization}>
      {({ id, name, timezone, quotas }) => (
        <>
          <Facts
            of={[
              ['Name', name],
              [
                'ID',
                <>
                  <code>{id}</code> <CopyButton text={id} label="Copy" />
                </>,
              ],
              ['Time zone of reports', timezone],
            ]}
          />
          <Section title="Limits">
            <Table
              label="Limits"
              head={['What', '#In use', '#Limit']}
              rows={LIMITS.map(([key, title]) => [
                title,
                inUse(quotas[key]),
                quotas[key].limit?.toLocaleString('en') ?? 'none',
              ])}
            />
          </Section>
          <Section title="Another organization">
            <p>
              {session.value?.person
                ? 'You need an invitation to join one. Your organizations are listed at the top of every page.'
                : 'An API key belongs to one organization. Sign in with a key of the other one.'}{' '}
              {session.value?.operator === true || (session.value?.is_default === true && !session.value.person)
                ? 'New organizations are created by an operator, or with the OPERATOR_TOKEN: POST /api/v1/organizations.'
                : ''}
            </p>
            {!session.value?.person && (
              <p>
                <Button onClick={() => void runAction(signOut)}>Sign in to another organization</Button>
              </p>
            )}
          </Section>
        </>
      )}
    </Data>
  );
}
