import type { ComponentChildren } from 'preact';
import drawings from '../drawings.svg';

/** What is drawn; the ids of `drawings.svg`. */
export type Drawing = 'rows' | 'alert' | 'contacts' | 'week' | 'page' | 'calm' | 'certificate' | 'lost' | 'probes';

/** A place where nothing is yet: a drawing of what will stand there, and what to do. Fetched when it is first shown. */
export const Empty = ({ drawing, children }: { drawing: Drawing; children: ComponentChildren }) => (
  <div class="empty">
    <svg width="288" height="144" viewBox="0 0 240 120" aria-hidden="true">
      <use href={`${drawings}#${drawing}`} />
    </svg>
    {children}
  </div>
);
