import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { time } from './logic/format';
import { hasShortcuts, setShortcuts, useKeys } from './state/keyboard';
import { announcement, heardAt, listen, live, startLive, stopLive } from './state/live';
import { apply, counts, forget, refreshSoon } from './state/overview-store';
import { Confirmation, Dialog } from './components/dialog';
import { Check } from './components/form/field';
import { Button } from './components/layout';
import { Icon } from './components/icons';
import { Tip } from './components/tip';
import { go, route } from './state/router';
import { AlertScreen } from './pages/alert';
import { AlertEvents, AlertRules } from './pages/alerts';
import { EndpointScreen } from './pages/endpoint';
import { EndpointForm } from './pages/endpoint-form';
import { Overview } from './pages/overview';
import { Settings } from './pages/settings';
import { SignIn } from './pages/sign-in';
import { WebsiteScreen } from './pages/website';
import { may, session, signOut } from './state/session';
import { type Theme, theme } from './state/theme';
import { attempt, dismiss, toasts } from './state/toast';

const isHelpOpen = signal(false);

function Screen() {
  const [first = '', second = '', third = ''] = route.value.path;
  switch (first) {
    case '':
      return <Overview />;
    case 'new':
      return <EndpointForm id={null} />;
    case 'endpoints':
      return third === 'edit' ? <EndpointForm key={second} id={second} /> : <EndpointScreen key={second} id={second} />;
    case 'alerts':
      if (second === '') return <AlertRules />;
      if (second === 'events') return <AlertEvents />;
      return <AlertScreen key={second} id={second === 'new' ? null : second} />;
    case 'websites':
      return <WebsiteScreen key={second} id={second} />;
    case 'settings':
      return <Settings tab={second} />;
    default:
      return (
        <div class="empty">
          <h1>There is no such page</h1>
          <a href="#/">To the overview</a>
        </div>
      );
  }
}

const NAMES: Record<string, string> = {
  '': 'Overview',
  new: 'New endpoint',
  endpoints: 'Endpoint',
  alerts: 'Alerts',
  websites: 'Website',
  settings: 'Settings',
  'sign-in': 'Sign in',
};

/** Title and icon tell the number of endpoints that are down, also in a background tab. */
effect(() => {
  const { down } = counts.value;
  const name = NAMES[route.value.path[0] ?? ''] ?? 'Uptime';
  document.title = `${down > 0 ? `(${down}) ` : ''}${name} · Uptime`;
  document
    .querySelector('link[rel=icon]')
    ?.setAttribute('href', down > 0 ? `/favicon.svg?down=${down}` : '/favicon.svg');
});

export function App() {
  if (session.value === undefined) return null;
  return (
    <>
      {session.value === null ? <SignIn /> : <SignedIn />}
      <Toasts />
      <Confirmation />
      <Tip />
    </>
  );
}

function SignedIn() {
  const main = useRef<HTMLElement>(null);
  const screen = route.value.path.join('/');

  useEffect(() => {
    const stop = listen({ check: apply, alert: refreshSoon, ready: refreshSoon });
    startLive();
    return () => {
      stop();
      stopLive();
      forget();
    };
  }, []);

  useEffect(() => {
    if (route.value.path[0] === 'sign-in') go('/');
    scrollTo(0, 0);
    if (document.activeElement && document.activeElement !== document.body)
      main.current?.focus({ preventScroll: true });
  }, [screen]);

  useKeys({
    '?': () => {
      isHelpOpen.value = true;
    },
    n: () => may.write() && go('/new'),
    'g o': () => go('/'),
    'g a': () => go('/alerts'),
    'g e': () => go('/alerts/events'),
    'g s': () => go('/settings'),
  });

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
      <Top />
      {live.value === 'lost' && (
        <p class="lost" role="alert">
          Connection lost. This is the state of {time(new Date(heardAt.value).toISOString(), Date.now())}. Trying again…
        </p>
      )}
      <main id="main" ref={main} tabIndex={-1}>
        <Screen />
      </main>
      <p class="sr" role="status" aria-live="polite">
        {announcement.value}
      </p>
      {isHelpOpen.value && <Help />}
    </>
  );
}

function Top() {
  const [first = ''] = route.value.path;
  const link = (href: string, title: string, screens: string[]) => (
    <a href={href} aria-current={screens.includes(first) ? 'page' : undefined}>
      {title}
    </a>
  );
  return (
    <header class="top">
      <div>
        <a class="brand" href="#/" aria-label="Uptime, overview">
          <img src="/favicon.svg" width="22" height="22" alt="" />
          Uptime
        </a>
        <nav aria-label="Main">
          {link('#/', 'Overview', ['', 'endpoints', 'new'])}
          {link('#/alerts', 'Alerts', ['alerts'])}
          {link('#/settings', 'Settings', ['settings', 'websites'])}
        </nav>
        <LiveMark />
        <ThemeSwitch />
        <IconButton
          name="help"
          title="Keyboard help"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        />
        <IconButton
          name="out"
          title={`Sign out ${session.value?.key_name ?? ''}`}
          onClick={() => void attempt(signOut)}
        />
        {may.write() && (
          <a class="button primary" href="#/new">
            <Icon name="plus" /> New
          </a>
        )}
      </div>
    </header>
  );
}

const LiveMark = () => (
  <span class="live">
    <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" fill={live.value === 'live' ? 'var(--up)' : 'none'} stroke="currentColor" />
    </svg>
    {live.value === 'live' ? 'Live' : live.value === 'lost' ? 'Not live' : 'Connecting'}
  </span>
);

const IconButton = (props: { name: Parameters<typeof Icon>[0]['name']; title: string; onClick: () => void }) => (
  <button type="button" class="plain" aria-label={props.title} title={props.title} onClick={props.onClick}>
    <Icon name={props.name} size={18} />
  </button>
);

const NEXT: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };

const ThemeSwitch = () => (
  <IconButton
    name={theme.value === 'auto' ? 'auto' : theme.value === 'light' ? 'sun' : 'moon'}
    title={`Theme: ${theme.value}. Switch to ${NEXT[theme.value]}`}
    onClick={() => {
      theme.value = NEXT[theme.value];
    }}
  />
);

const SHORTCUTS: [string[], string][] = [
  [['/'], 'Search'],
  [['j', 'k'], 'Next, previous endpoint'],
  [['Enter'], 'Open it'],
  [['c'], 'Check it now'],
  [['p'], 'Pause or resume it'],
  [['e'], 'Edit it (on its page)'],
  [['n'], 'New endpoint'],
  [['g', 'o'], 'Overview'],
  [['g', 'a'], 'Alerts'],
  [['g', 'e'], 'Events'],
  [['g', 's'], 'Settings'],
  [['?'], 'This help'],
];

const closeHelp = () => {
  isHelpOpen.value = false;
};

function Help() {
  return (
    <Dialog title="Keyboard" onClose={closeHelp}>
      <dl class="facts">
        {SHORTCUTS.flatMap(([keys, what]): ComponentChildren[] => [
          <dt key={what}>
            {keys.map((key) => (
              <span key={key}>
                <kbd>{key}</kbd>{' '}
              </span>
            ))}
          </dt>,
          <dd key={`${what}=`}>{what}</dd>,
        ])}
      </dl>
      <Check label="Single keys work as shortcuts" value={hasShortcuts.value} set={setShortcuts} />
      <div class="actions">
        <Button class="primary" act={closeHelp}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map((toast) => (
      <div key={toast.id} class={`notice ${toast.tone}`}>
        {toast.text}{' '}
        <button type="button" class="plain" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
          <Icon name="close" size={12} />
        </button>
      </div>
    ))}
  </div>
);
