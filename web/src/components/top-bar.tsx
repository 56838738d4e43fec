import { live } from '../state/live';
import { may, session, signOut } from '../state/session';
import { type Theme, theme } from '../state/theme';
import { runAction } from '../state/toast';
import { Icon, type IconName } from './icons';

interface Props {
  /** Entries of the main navigation. */
  links: readonly { title: string; href: string }[];
  /** How many incidents are open. */
  open: number;
  /** Title of the entry that the shown page belongs to. */
  current: string | undefined;
  onHelp: () => void;
}

/** The icon of the tab: drawn here, since an image would be one more request before the first rows. */
const Logo = () => (
  <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--brand)" />
    <path
      d="M5 17h5l3-8 5 14 3-6h6"
      fill="none"
      stroke="var(--bar-ink)"
      stroke-width="2.6"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
);

/** The bar over every page: navigation, state of the live stream, theme, help, sign out. */
export const TopBar = ({ links, current, open, onHelp }: Props) => (
  <header class="top">
    <div>
      <a class="brand" href="#/" aria-label="Uptime, overview">
        <Logo />
        Uptime
      </a>
      <nav aria-label="Main">
        {links.map(({ title, href }) => (
          <a key={title} href={href} aria-current={title === current ? 'page' : undefined}>
            {title}
            {title === 'Incidents' && open > 0 && (
              <>
                {' '}
                <span class="count">
                  {open}
                  <span class="sr"> open</span>
                </span>
              </>
            )}
          </a>
        ))}
      </nav>
      <LiveMark />
      <ThemeSwitch />
      <IconButton name="help" title="Keyboard help" onClick={onHelp} />
      <IconButton
        name="out"
        title={`Sign out ${session.value?.key_name ?? ''}`}
        onClick={() => void runAction(signOut)}
      />
      {may.write() && (
        <a class="button primary" href="#/new">
          <Icon name="plus" /> New
        </a>
      )}
    </div>
  </header>
);

const LiveMark = () => (
  <span class="live">
    <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
      <circle cx="4" cy="4" r="3" fill={live.value === 'live' ? 'var(--up)' : 'none'} stroke="currentColor" />
    </svg>
    {live.value === 'live' ? 'Live' : live.value === 'lost' ? 'Not live' : 'Connecting'}
  </span>
);

const IconButton = (props: { name: IconName; title: string; onClick: () => void }) => (
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
