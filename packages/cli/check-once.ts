import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { assertionProblems } from '../../src/checker/assertion/assertion-rules';
import { toCheckRequest } from '../../src/checker/check-request';
import { type Checker, type CheckRequest, type CheckResult, InvalidTarget } from '../../src/checker/checker';
import { CheckerModule } from '../../src/checker/checker.module';
import { CheckerRegistry } from '../../src/checker/checker.registry';
import type { Config } from '../../src/platform/config/config';
import { ConfigModule } from '../../src/platform/config/config.module';
import { startDeadline } from '../../src/platform/net/deadline';
import { EgressPolicy, type EgressRule } from '../../src/platform/net/egress/egress-policy';
import type { Command } from './check-url-command';
import { UsageError } from './usage-error';

/** The checkers and the egress policy, nothing else of the service. */
async function openCheckers(config: Config) {
  @Module({ imports: [ConfigModule.forRoot(config), CheckerModule] })
  class CheckUrlModule {}

  return NestFactory.createApplicationContext(CheckUrlModule, { logger: false, abortOnError: false });
}

/** Throws a `UsageError` for what no checker takes. */
export async function checkOnce(command: Command, config: Config): Promise<CheckResult> {
  const application = await openCheckers(config);
  const deadline = startDeadline(command.timeoutMs);
  try {
    const checkers = application.get(CheckerRegistry);
    if (!checkers.has(command.type)) throw new UsageError(`the type must be one of ${checkers.types().join(', ')}`);
    const checker = checkers.get(command.type);
    const egress = application.get(EgressPolicy).forOrganization({ id: null, isDefault: true });
    return await checker.check(requestOf(checker, command, egress), deadline.signal);
  } finally {
    deadline.clear();
    await application.close();
  }
}

function requestOf(checker: Checker, command: Command, egress: EgressRule): CheckRequest<unknown> {
  const [problem] = assertionProblems(command.assertions, checker.assertionSources);
  if (problem) throw new UsageError(`--assert or --warn: ${problem.message}`);
  try {
    return toCheckRequest(checker, command, egress);
  } catch (error) {
    throw error instanceof InvalidTarget ? new UsageError(error.message) : error;
  }
}
