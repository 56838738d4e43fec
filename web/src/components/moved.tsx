import type { Session } from '../api/types';
import { discarded } from '../state/drafts';
import { go } from '../state/router';
import { begin, session, switchTo } from '../state/session';
import { runAction } from '../state/toast';
import { Button } from './layout';

/** Says that another window went over to another organization, and offers both ways. What is filled in stays until one goes. */
export function Moved({ to }: { to: Session }) {
  const { organization } = session.value ?? {};
  const isBackPossible = to.organizations.some(({ id }) => id === organization?.id);
  const goBack = async (id: string) => {
    await switchTo(id);
    // What was refused meanwhile is read now; what is filled in comes back.
    discarded.value++;
  };
  return (
    <p class="lost" role="alert">
      You switched to “{to.organization.name}” in another window. This window still shows “{organization?.name}” and is
      read-only.{' '}
      <Button
        onClick={() => {
          begin(to);
          go('/');
        }}
      >
        Go to {to.organization.name}
      </Button>{' '}
      {isBackPossible && organization && (
        <Button onClick={() => runAction(() => goBack(organization.id))}>Back to {organization.name}</Button>
      )}
    </p>
  );
}
