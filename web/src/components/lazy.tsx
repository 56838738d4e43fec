import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { Button, Skeleton, Title } from './layout';

const waiting: (() => void)[] = [];

/**
 * Fetches the files for all pages that aren't loaded yet. Pages opened later then don't need this version's files from
 * the service.
 */
export function fetchPages(): void {
  for (const start of waiting.splice(0)) start();
}

/**
 * Returns a component whose code is in a separate file. The file is fetched after the first page is shown, or earlier
 * if the component is rendered. Without `isPage`, the component is part of a page and renders nothing until its code is
 * loaded.
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
    if (!failed.value) return <Skeleton />;
    return (
      <div class="empty">
        <Title>This page could not be loaded</Title>
        <p>The service cannot be reached, or it was updated after you opened this page.</p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </div>
    );
  };
}
