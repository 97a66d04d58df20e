// Runs programs in workers, several at the same time.

export class Runners {
  /** @param start Starts a worker (runner.mjs). */
  constructor(start) {
    Object.assign(this, { start, idle: [] });
  }

  /**
   * Runs a program (host.mjs); `hear`, if given, gets its outputs. Returns `{ ended, stop }`: a promise of how the program has ended, and
   * a function that stops it.
   */
  run(main, side, options, hear) {
    const worker = this.idle.pop() ?? this.start();
    let isRunning = true; // when the time is up, the runner may already run another program
    const stop = () => {
      if (isRunning) worker.terminate();
      isRunning = false;
    };
    const ended = new Promise((done, fail) => {
      worker.onmessage = ({ data }) => {
        if (data.heard) return void hear(...data.heard);
        if (isRunning) this.idle.push(worker);
        isRunning = false;
        done(data);
      };
      worker.onerror = (event) => {
        stop();
        fail(new Error(event.message || "a worker could not be started"));
      };
      worker.postMessage({ main, side, options, isHeard: Boolean(hear) });
    });
    return { ended, stop };
  }
}
