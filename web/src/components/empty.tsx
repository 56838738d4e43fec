import type { ComponentChildren } from 'preact';
import drawings from '../drawings.svg';
import { helpForPath } from '../logic/help-page';
import { route } from '../state/router';
import { HelpLink } from './help-link';

/** The IDs of the drawings in `drawings.svg`. */
export type Drawing = 'rows' | 'alert' | 'contacts' | 'week' | 'page' | 'calm' | 'certificate' | 'lost' | 'probes';

/**
 * An empty state: a drawing of what will appear here, what to do, and a link to the help. The drawing is fetched the
 * first time it is shown.
 */
export const Empty = ({ drawing, children }: { drawing: Drawing; children: ComponentChildren }) => (
  <div class="empty">
    <svg width="288" height="144" viewBox="0 0 240 120" aria-hidden="true">
      <use href={`${drawings}#${drawing}`} />
    </svg>
    {children}
    {drawing !== 'lost' && drawing !== 'calm' && (
      <p class="small">
        <HelpLink page={helpForPath(route.value.path)}>How this works</HelpLink>
      </p>
    )}
  </div>
);
