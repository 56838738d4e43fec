import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { StartError } from '../platform/config/start-error';
import { AttendedChecker } from './attended-checker';
import { Checker, LATER_CHECKER_TYPES, SPEC_CHECKER_TYPES } from './checker';

/**
 * Finds every checker in the application by its `@Checker('type')` decorator, in any module that lists it. Startup
 * fails if a type exists twice or a built-in type is missing.
 */
@Injectable()
export class CheckerRegistry implements OnModuleInit {
  private readonly checkers = new Map<string, Checker>();
  /**
   * The checkers of extensions, wrapped. The service's own checkers are called directly, because every check takes this
   * path.
   */
  private readonly attended = new Map<string, Checker>();
  /** The types whose checker is part of the service. */
  private readonly own = new Set<string>();

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders({ metadataKey: Checker.KEY })) {
      const type = this.discovery.getMetadataByDecorator(Checker, wrapper);
      if (type !== undefined) this.add(type, wrapper.instance as Checker, wrapper.host?.name === OWN_MODULE);
    }
    const missing = SPEC_CHECKER_TYPES.filter((type) => !this.checkers.has(type));
    if (missing.length > 0) throw new Error(`No checker is registered for: ${missing.join(', ')}`);
  }

  /** Throws for an unknown type. If the type comes from a client, call `has` first. */
  get(type: string): Checker {
    const checker = this.attended.get(type) ?? this.checkers.get(type);
    if (!checker) throw new Error(`There is no checker of type "${type}"`);
    return checker;
  }

  has(type: string): boolean {
    return this.checkers.has(type);
  }

  /** Returns true if nothing runs checks of this type. Returns false for an unknown type. */
  isPassive(type: string): boolean {
    return this.checkers.get(type)?.passive === true;
  }

  /** Returns the built-in types in their order, then the others by name. */
  types(): string[] {
    const others = [...this.checkers.keys()].filter((type) => !isSpecType(type)).sort();
    return [...SPEC_CHECKER_TYPES.filter((type) => this.checkers.has(type)), ...others];
  }

  /** See `LATER_CHECKER_TYPES` for two checkers of one type. */
  private add(type: string, checker: Checker, isOwn: boolean): void {
    const other = this.checkers.get(type);
    if (other === checker) return;
    const isReplaceable = LATER_CHECKER_TYPES.includes(type) && isOwn !== this.own.has(type);
    if (other && isReplaceable && isOwn) return;
    if (other && !isReplaceable)
      throw new StartError(
        `Checker "${type}" is registered twice: by ${other.constructor.name} and by ${checker.constructor.name}. Give one of them another type.`,
      );
    this.checkers.set(type, checker);
    if (isOwn) this.own.add(type);
    else this.own.delete(type);
    this.attended.delete(type);
    if (!isOwn && !isSpecType(type)) this.attended.set(type, new AttendedChecker(type, checker));
  }
}

/** The name of the module that contains the service's own checkers. */
const OWN_MODULE = 'CheckerModule';

const isSpecType = (type: string): boolean => SPEC_CHECKER_TYPES.some((known) => known === type);
