import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isRecord } from '../text/json';
import { readUrl } from '../text/read-url';
import { Config, loadConfig } from './config';
import {
  brokenRules,
  IsProbeToken,
  HasEncodedCredentials,
  IsProxyUrl,
  IsPublicUrl,
  IsSwitch,
  LOOPBACK,
  MostItems,
  publicBaseOf,
} from './config-rules';
import { ConfigError, Env, envNames, readSettings } from './env';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that exist only for a probe (`ROLE=probe`): how it connects to its service. */
export class ProbeConfig {
  /**
   * The service's PUBLIC_URL. It must use https. http is allowed on the local machine, and elsewhere with `insecure`.
   */
  @Env('PROBE_URL') @IsPublicUrl url: string | null = null;

  /** The token that was shown when the probe was created. You can use `tokenFile` instead. */
  @Env('PROBE_TOKEN') @IsProbeToken token: string | null = null;

  /** A file that contains the token, which keeps the token out of the environment. */
  @Env('PROBE_TOKEN_FILE') tokenFile: string | null = null;

  /** A file with PEM certificates. Only these are trusted for the connection to the service. */
  @Env('PROBE_CA') caFile: string | null = null;

  /**
   * Allows http for the connection to the service. Anyone on the network path can then read the token and the
   * definitions.
   */
  @Env('PROBE_INSECURE') @IsSwitch insecure = false;

  /** The proxy for the connection to the service (CONNECT), with user and password. Checks never use it. */
  @Env('HTTPS_PROXY') @IsProxyUrl @HasEncodedCredentials proxy: string | null = null;

  /** Hosts to connect to without the proxy: names including their subdomains, `host:port`, networks, or `*`. */
  @Env('NO_PROXY') @MostItems(200) noProxy: string[] = [];
}

/**
 * The validated settings for connecting to the service, including the contents of files. Also serves as an injection
 * token.
 */
export class ServerAccess {
  constructor(
    /** Has no trailing slash. */
    readonly url: string,
    readonly token: string,
    /** The only trusted certificates, in PEM format, or `null` to trust Node's default certificates. */
    readonly ca: string | null,
    readonly proxy: string | null,
    readonly noProxy: readonly string[],
  ) {}
}

/** The service settings that a probe also uses. */
const SHARED_SETTINGS: readonly string[] = [
  'HOST',
  'PORT',
  'EGRESS_PRIVATE',
  'EGRESS_ALLOW',
  'EGRESS_DENY',
  'MAX_CONCURRENT_CHECKS',
  'CONNECTIVITY_TARGETS',
  'ROLE',
  'LOG_LEVEL',
  'FAILPOINTS',
];
/** The container image always sets this variable. */
const SET_BY_THE_IMAGE = 'DATA_DIR';

/** Returns one sentence for each service setting that has no effect on a probe. */
export const settingsWithoutEffect = (environment: Environment): string[] =>
  [...envNames(Config).values()]
    .filter((name) => !SHARED_SETTINGS.includes(name) && name !== SET_BY_THE_IMAGE && (environment[name] ?? '') !== '')
    .map((name) => `${name} has no effect with ROLE=probe, because a probe has no database and no API.`);

/** Reads a probe's environment. Throws a `ConfigError` that lists all problems. */
export function loadProbeConfig(environment: Environment): { config: Config; access: ServerAccess } {
  const problems: string[] = [];
  const own = withEitherCase(environment, problems);
  const shared = Object.fromEntries(SHARED_SETTINGS.map((name) => [name, environment[name]]));
  const config = noted(problems, () => loadConfig(shared));
  noted(problems, () => readSettings(ProbeConfig, own, brokenRules));
  // Runs even if other settings are invalid, so that problems with files and contradictions are reported together with
  // them.
  const access = accessOf(
    readSettings(ProbeConfig, own, () => []),
    problems,
  );
  if (problems.length > 0 || !config || !access) throw new ConfigError(problems);
  return { config, access };
}

/** Other programs accept these variables in upper and lower case. */
const IN_EITHER_CASE = ['HTTPS_PROXY', 'NO_PROXY'] as const;

/**
 * Adds the values of the lowercase variables. Setting both is a problem, because programs don't agree on which one
 * takes precedence.
 */
function withEitherCase(environment: Environment, problems: string[]): Environment {
  const all: Record<string, string | undefined> = { ...environment };
  for (const name of IN_EITHER_CASE) {
    const other = name.toLowerCase();
    const [upper = '', lower = ''] = [environment[name], environment[other]];
    if (upper !== '' && lower !== '' && upper !== lower)
      problems.push(`${name} and ${other} differ, and programs disagree on which one applies: unset one of them.`);
    all[name] = upper === '' ? lower : upper;
  }
  return all;
}

/** Returns the result of `work`. If `work` finds invalid settings, records them and returns `null`. */
function noted<T>(problems: string[], work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

function accessOf({ url, insecure, proxy, noProxy, ...files }: ProbeConfig, problems: string[]): ServerAccess | null {
  const token = tokenOf(files, problems);
  const ca = files.caFile === null ? null : caOf(files.caFile, problems);
  if (url === null) problems.push(NO_URL);
  else if (!insecure && isReadableOnTheWay(url)) problems.push(OPEN_TO_READERS);
  return url === null || token === null ? null : new ServerAccess(publicBaseOf(url), token, ca, proxy, noProxy);
}

function isReadableOnTheWay(text: string): boolean {
  const url = readUrl(text);
  return url?.protocol === 'http:' && !LOOPBACK.test(url.hostname);
}

function tokenOf({ token, tokenFile }: Pick<ProbeConfig, 'token' | 'tokenFile'>, problems: string[]): string | null {
  if (token !== null && tokenFile !== null) problems.push(TWO_TOKENS);
  if (token === null && tokenFile === null) problems.push(NO_TOKEN);
  if (tokenFile === null) return token;
  const text = fileOf('PROBE_TOKEN_FILE', tokenFile, problems)?.trim();
  if (text === undefined) return null;
  const [wrong] = brokenRules(Object.assign(new ProbeConfig(), { token: text }));
  if (wrong !== undefined) problems.push(`PROBE_TOKEN_FILE: the content of the file ${wrong.must}.`);
  return text;
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g;

function caOf(path: string, problems: string[]): string | null {
  const text = fileOf('PROBE_CA', path, problems);
  if (text === null) return null;
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate)) return blocks.join('\n');
  problems.push(
    // prose: BEGIN is part of the format
    'PROBE_CA must be a file of certificates in PEM, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.',
  );
  return null;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function fileOf(name: string, path: string, problems: string[]): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = isRecord(error) ? String(error['code']) : String(error);
    problems.push(`${name}: the file cannot be read (${why}). Set ${name} to a file that this user may read.`);
    return null;
  }
}

const NO_URL = 'PROBE_URL must be set with ROLE=probe: the URL of the service, such as https://uptime.example.com.';
const OPEN_TO_READERS =
  'PROBE_URL must be https, because otherwise anyone on the network path could read the token. Set PROBE_INSECURE=on if you want that.';
const NO_TOKEN =
  'PROBE_TOKEN or PROBE_TOKEN_FILE must be set with ROLE=probe: the token that `uptime probes create` shows.';
const TWO_TOKENS = 'PROBE_TOKEN and PROBE_TOKEN_FILE cannot be used together: unset one of them.';
