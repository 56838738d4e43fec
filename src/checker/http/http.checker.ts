import { Checker, type CheckRequest, type CheckResult } from '../checker';
import { HttpCheck } from './http-check';
import { HttpSettings, httpSettingsProblems } from './http-settings';
import { type HttpTarget, parseHttpTarget } from './http-target';

const SOURCES = ['status_code', 'response_time', 'header', 'body', 'json', 'certificate_days'] as const;

/**
 * Checks a URL with or without TLS. The target is up if the final status is 200–299 and the certificate, if any, is
 * valid.
 */
@Checker('HTTP')
export class HttpChecker implements Checker<HttpTarget, HttpSettings> {
  readonly targetForm: string = 'http://host[:port]/path or https://host[:port]/path';
  readonly assertionSources = SOURCES;
  readonly settingsClass = HttpSettings;
  protected readonly schemes: RegExp = /^https?:\/\/[^/?#]/i;

  constructor(private readonly http: HttpCheck) {}

  parseTarget(url: string): HttpTarget {
    return parseHttpTarget(url, this.targetForm, this.schemes);
  }

  hostsOf(target: HttpTarget): string[] {
    return [target.host];
  }

  settingsProblems(settings: HttpSettings, url: string) {
    return httpSettingsProblems(settings, url);
  }

  check(request: CheckRequest<HttpTarget, HttpSettings>, signal: AbortSignal): Promise<CheckResult> {
    return this.http.run(request, signal);
  }
}

/** Checks a URL over TLS only. */
@Checker('HTTPS')
export class HttpsChecker extends HttpChecker {
  override readonly targetForm = 'https://host[:port]/path';
  protected override readonly schemes = /^https:\/\/[^/?#]/i;
}
