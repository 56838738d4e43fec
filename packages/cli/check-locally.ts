import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { assertionProblems } from '../../src/checker/assertion/assertion-rules';
import { DEFAULT_WARN_DAYS } from '../../src/checker/certificate-warning';
import { toCheckRequest } from '../../src/checker/check-request';
import { type Checker, type CheckRequest, type CheckResult, InvalidTarget } from '../../src/checker/checker';
import { checkerFor } from '../../src/checker/both-families';
import { NO_SETTINGS, settingsProblems } from '../../src/checker/settings-problems';
import { CheckerModule } from '../../src/checker/checker.module';
import { CheckerRegistry } from '../../src/checker/checker.registry';
import { type Config, loadConfig } from '../../src/platform/config/config';
import { ConfigModule } from '../../src/platform/config/config.module';
import { ConfigError } from '../../src/platform/config/env';
import { startDeadline } from '../../src/platform/net/deadline';
import { EgressPolicy, type EgressRule } from '../../src/platform/net/egress/egress-policy';
import type { CheckSettings } from './check-options';
import type { ShownCheck } from './uptime/check-text';
import { CommandError, type Environment } from './uptime/io';

const TIMEOUT_SECONDS = 10;

/**
 * Runs one check from this machine, without a running service. Applies the Default organization's egress policy from
 * the environment. Returns the result in the API's format, but doesn't round values as stored results do. Throws:
 * `CommandError` if no checker accepts the target.
 */
export async function checkLocally(
  type: string,
  url: string,
  settings: CheckSettings,
  env: Environment,
): Promise<ShownCheck> {
  const application = await openCheckers(configOf(env));
  const deadline = startDeadline((settings.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000);
  try {
    const checkers = application.get(CheckerRegistry);
    if (!checkers.has(type)) throw new CommandError(`the type must be one of ${checkers.types().join(', ')}`);
    const checker = checkers.get(type);
    const egress = application.get(EgressPolicy).forOrganization({ id: null, isDefault: true });
    const request = requestOf(checker, url, settings, egress);
    return shownCheck(await checkerFor(checker, request.settings).check(request, deadline.signal));
  } finally {
    deadline.clear();
    await application.close();
  }
}

/** Starts only the checkers and the egress policy. */
async function openCheckers(config: Config) {
  @Module({ imports: [ConfigModule.forRoot(config), CheckerModule] })
  class LocalCheckModule {}

  return NestFactory.createApplicationContext(LocalCheckModule, { logger: false, abortOnError: false });
}

function configOf(env: Environment): Config {
  try {
    return loadConfig(env);
  } catch (error) {
    throw error instanceof ConfigError ? new CommandError(error.message) : error;
  }
}

function requestOf(
  checker: Checker,
  url: string,
  { method = 'GET', body, certificateWarnDays = DEFAULT_WARN_DAYS, ...settings }: CheckSettings,
  egress: EgressRule,
): CheckRequest<unknown> {
  const [problem] = assertionProblems(settings.assertions, checker.assertionSources);
  if (problem) throw new CommandError(`--assert or --warn: ${problem.message}`);
  const [wrong] = settingsProblems(checker, settings.settings ?? NO_SETTINGS, url);
  if (wrong) throw new CommandError(`--set ${wrong.pointer.slice(1)}: ${wrong.message}`);
  try {
    return toCheckRequest(checker, { ...settings, certificateWarnDays, url, method, body: body ?? null }, egress);
  } catch (error) {
    throw error instanceof InvalidTarget ? new CommandError(error.message) : error;
  }
}

function shownCheck(result: CheckResult): ShownCheck {
  const { phases, certificate } = result;
  return {
    outcome: result.outcome,
    duration_ms: rounded(result.durationMs) ?? 0,
    phases: {
      dns_ms: rounded(phases.dnsMs),
      connect_ms: rounded(phases.connectMs),
      tls_ms: rounded(phases.tlsMs),
      first_byte_ms: rounded(phases.firstByteMs),
      transfer_ms: rounded(phases.transferMs),
    },
    status_code: result.statusCode,
    address: result.address,
    certificate: certificate && {
      expires_at: certificate.expiresAt,
      issuer: certificate.issuer,
      subject: certificate.subject,
      names: certificate.names,
    },
    records: result.records,
    redirects: result.redirects,
    error: result.error,
    warning: result.warning,
  };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 1000) / 1000);
