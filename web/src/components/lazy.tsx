import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Button, Title } from './layout';

const waiting: (() => void)[] = [];

/** Fetches what is not there yet of all pages: what is opened later needs no file of this version of the service. */
export function fetchPages(): void {
  for (const start of waiting.splice(0)) start();
}

/**
 * A page with its code in a file of its own, fetched after the first page was shown, or when it is opened before that. Without
 * `isPage` a part of one, in place of which there is nothing until then.
 */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isPage = true,
): (props: P) => preact.ComponentChild {
  const loaded = signal<ComponentType<P> | null>(null);
  const failed = signal(false);
  let isStarted = false;
  const start = () => {
    if (isStarted) return;
    isStarted = true;
    load().then(
      (page) => {
        loaded.value = page;
      },
      () => {
        failed.value = true;
      },
    );
  };
  waiting.push(start);
  return (props) => {
    start();
    const Page = loaded.value;
    if (Page) return <Page {...props} />;
    if (!isPage) return null;
    if (!failed.value) return <p class="muted">Loading…</p>;
    return (
      <div class="empty">
        <Title>This page could not be loaded</Title>
        <p>The service cannot be reached, or it was updated after you opened this page.</p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </div>
    );
  };
}
