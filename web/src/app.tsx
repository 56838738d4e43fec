import { computed, effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { at } from './api/home';
import { Confirmation } from './components/dialog';
import { Empty } from './components/empty';
import type { Shortcut } from './components/keyboard-help';
import { fetchPages, lazy } from './components/lazy';
import { Tip } from './components/tip';
import { Toasts } from './components/toasts';
import { TopBar } from './components/top-bar';
import { Unsaved } from './components/unsaved';
import { time } from './logic/format';
import { findRoute, pathOf, type Route, ROUTES } from './pages/routes';
import { SECTIONS } from './pages/sections';
import { deleteWaiting } from './state/deletion';
import { discarded } from './state/drafts';
import { entry } from './state/entry';
import { useKeys } from './state/keyboard';
import { clearIncidents, openCount, refreshIncidents, refreshIncidentsSoon } from './state/incidents';
import { announcement, lastMessageAt, listen, live, startLive, stopLive } from './state/live';
import {
  applyAcknowledgement,
  applyChange,
  clearOverview,
  counts,
  items,
  overviewError,
  refreshSoon,
} from './state/overview-store';
import { pageTitle } from './state/page-title';
import { arrivals, go, replace, route } from './state/router';
import { isOver, may, moved, session, whose } from './state/session';

// Sends pending deletions now, because the browser may never report that a hidden page was closed.
const left = () => void deleteWaiting(true);
addEventListener('pagehide', left);
document.addEventListener('visibilitychange', () => document.hidden && left());

const Palette = lazy(() => import('./components/palette').then((file) => file.Palette), false);

const KeyboardHelp = lazy(() => import('./components/keyboard-help').then((file) => file.KeyboardHelp), false);

const Wall = lazy(() => import('./pages/wall').then((page) => page.Wall));

const Door = lazy(() => import('./pages/sign-in/door').then((page) => page.Door));

const AccountNudge = lazy(() => import('./components/account-nudge').then((file) => file.AccountNudge), false);

const Moved = lazy(() => import('./components/moved').then((file) => file.Moved), false);

const isHelpOpen = signal(false);
const isPaletteOpen = signal(false);
const shown = computed(() => findRoute(route.value.path));

/** Whether a sign-in page covers the dashboard, because the session has ended or a link was opened. */
const isBehind = computed(() => isOver.value || entry.value !== null);

/** Shows the number of endpoints that are down in the tab's title and icon, even in background tabs. */
effect(() => {
  const { down, degraded } = counts.value;
  const isOutside = session.value === null || isBehind.value;
  const title = isOutside ? 'Sign in' : (pageTitle.value ?? shown.value?.route.title ?? 'Page not found');
  document.title = `${down > 0 ? `(${down}) ` : ''}${title} · Uptime`;
  const icon = at(`/favicon.svg${down > 0 ? `?down=${down}` : degraded > 0 ? '?state=degraded' : ''}`);
  const link = document.querySelector('link[rel=icon]');
  // Setting the same value would fetch the icon again.
  if (link?.getAttribute('href') !== icon) link?.setAttribute('href', icon);
});

/** The dashboard: the sign-in page, or the page for the current route. */
export function App() {
  if (session.value === undefined) return null;
  return (
    <>
      {(session.value === null || isBehind.value) && <Door />}
      {session.value && (
        <div key={whose.value} class="shell" hidden={isBehind.value}>
          <SignedIn />
        </div>
      )}
      <Toasts />
      <Confirmation />
      <Tip />
    </>
  );
}

const LINKS = SECTIONS.flatMap((each) => {
  const first = ROUTES.find(({ section }) => section === each.title);
  return first ? [{ ...each, href: `#${pathOf(first)}` }] : [];
});

const WITH_SHORTCUT = ROUTES.filter((each): each is Route & { shortcut: string } => each.shortcut !== undefined);

/** Single keys come before sequences. */
const SHORTCUTS: readonly Shortcut[] = [
  ['Ctrl k', 'Open a page or run a command'],
  ['/', 'Search'],
  ['j k', 'Next or previous endpoint or incident'],
  ['Enter', 'Open it'],
  ['c', 'Check it now'],
  ['p', 'Pause or resume it'],
  ['x', 'Select it to change several at once'],
  ['a', 'Acknowledge it (on its page)'],
  ['u', 'Write an update (on its page)'],
  ['e', 'Edit it (on its page)'],
  ...WITH_SHORTCUT.map(({ shortcut, title }): Shortcut => [shortcut, title]).sort(([a], [b]) => a.length - b.length),
  ['?', 'This help'],
];

const PAGES = ROUTES.filter(({ path }) => !/:\w+(\/|$)/.test(path)).map((each) => [each.title, pathOf(each)] as const);

const openPalette = () => {
  isPaletteOpen.value = true;
};

const closePalette = () => {
  isPaletteOpen.value = false;
};

const openHelp = () => {
  isHelpOpen.value = true;
};

const closeHelp = () => {
  isHelpOpen.value = false;
};

/**
 * How long to wait for the first page to load its data, in milliseconds. Then the files for the other pages are
 * fetched.
 */
const SHOWN_MS = 1500;

/** True while the overview is loading. Other requests would delay it. */
const hasNothingYet = computed(() => items.value === null && overviewError.value === null);

/**
 * Whether an admin is using a key, so that the audit log can't name them. With AUTH=off, there are no accounts and
 * sessions never expire.
 */
const isNameless = () => may.admin() && session.value?.person === null && session.value.expires_at !== null;

function SignedIn() {
  const main = useRef<HTMLElement>(null);
  const path = route.value.path.join('/');

  const isFirstLook = path === '' && hasNothingYet.value;
  useEffect(() => {
    if (isFirstLook) return;
    const timer = setTimeout(fetchPages, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isFirstLook]);

  useEffect(() => {
    const stop = listen({
      check: applyChange,
      acknowledgement: applyAcknowledgement,
      alert: refreshSoon,
      location: refreshSoon,
      maintenance: refreshSoon,
      incident: refreshIncidentsSoon,
      ready: () => {
        refreshSoon();
        void refreshIncidents();
      },
    });
    if (!isOver.value && !moved.value) startLive();
    return () => {
      stop();
      stopLive();
      clearOverview();
      clearIncidents();
    };
  }, [isOver.value, moved.value]);

  useLayoutEffect(() => {
    if (route.value.path[0] === 'sign-in' && !isBehind.value) replace('/');
  }, [path, isBehind.value]);

  // Runs before the page's effects, which move the focus to the title or to the first form field.
  useLayoutEffect(() => {
    scrollTo(0, 0);
    if (arrivals.value > 0) main.current?.focus({ preventScroll: true });
  }, [path, arrivals.value, discarded.value]);

  useKeys(
    isBehind.value
      ? {}
      : {
          'Ctrl k': openPalette,
          '?': openHelp,
          ...Object.fromEntries(
            WITH_SHORTCUT.map((each) => [each.shortcut, () => (!each.role || may[each.role]()) && go(pathOf(each))]),
          ),
        },
  );

  // Replaces the overview but keeps its filters.
  if (path === '' && route.value.query.has('wall')) return <Wall />;
  return (
    <>
      <a
        class="button skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <TopBar
        links={LINKS}
        current={shown.value?.route.section}
        open={openCount.value}
        onSearch={openPalette}
        onHelp={openHelp}
      />
      {live.value === 'lost' && (
        <p class="lost" role="alert">
          Connection lost. Showing data from {time(new Date(lastMessageAt.value).toISOString(), Date.now())}. Trying
          again…
        </p>
      )}
      {moved.value && <Moved to={moved.value} />}
      <Unsaved />
      {path === '' && !isFirstLook && isNameless() && <AccountNudge />}
      <main id="main" key={discarded.value} ref={main} tabIndex={-1}>
        {shown.value ? shown.value.route.show(shown.value.parameter) : <NotFound />}
      </main>
      <p class="sr" role="status" aria-live="polite">
        {announcement.value}
      </p>
      {isPaletteOpen.value && <Palette pages={PAGES} onClose={closePalette} />}
      {isHelpOpen.value && <KeyboardHelp shortcuts={SHORTCUTS} onClose={closeHelp} />}
    </>
  );
}

const NotFound = () => (
  <Empty drawing="lost">
    <h1>Page not found</h1>
    <a href="#/">Back to overview</a>
  </Empty>
);
