import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { CheckPlaces } from '../engine/dispatch/check-places';
import { SECOND_MS } from '../platform/time/time-units';
import { PollLoop } from './poll-loop';
import { ResultSender } from './results/result-sender';
import { SlotSource } from './slots/slot-source';
import { Work } from './work';

/** How the 25 s for a shutdown are divided between running checks and sending results. */
const DRAIN_MS = 17 * SECOND_MS;
const SEND_MS = 5 * SECOND_MS;

/** Runs a probe: polls, checks, and sends results. It stops these in the same order. */
@Injectable()
export class ProbeAgentService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly polls: PollLoop,
    private readonly sender: ResultSender,
    private readonly slots: SlotSource,
    private readonly places: CheckPlaces,
    private readonly work: Work,
  ) {}

  onApplicationBootstrap(): void {
    this.polls.start();
    this.sender.start();
  }

  @Interval(SECOND_MS)
  tick(): void {
    this.slots.tick();
  }

  /** Stops starting checks, lets running checks finish, and sends their results. */
  async beforeApplicationShutdown(): Promise<void> {
    this.slots.stop();
    await this.polls.stop();
    await this.places.drain(DRAIN_MS);
    await this.work.settled();
    await this.sender.drain(SEND_MS);
  }
}
