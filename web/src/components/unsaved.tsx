import { discard, type Draft, drafts } from '../state/drafts';
import { address } from '../state/router';
import { Button } from './layout';

/** What was filled in and not saved: where to go on, or that it is here again. */
export function Unsaved() {
  const shown = drafts.value.filter(({ at, isResumed }) => isResumed || at !== address.value);
  return (
    shown.length > 0 && (
      <aside class="unsaved" aria-label="Not saved">
        {shown.map((draft) => (
          <Line key={draft.at} of={draft} />
        ))}
      </aside>
    )
  );
}

const Line = ({ of: { at, what } }: { of: Draft }) => (
  <p>
    {at === address.value ? (
      'You had not saved this.'
    ) : (
      <>
        You have {what}: <a href={`#${at}`}>go on</a>
      </>
    )}{' '}
    <Button class="plain" label={`Discard ${what}`} onClick={() => discard(at)}>
      Discard
    </Button>
  </p>
);
