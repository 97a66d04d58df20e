/// Makes the site work without a connection, with a service worker (tools/site/service_worker.js), if the browser allows one.

/// Makes the browser keep all of the site's files. `tell` gets a line when they are kept for the first time.
export async function keepSite(root, tell) {
  try {
    const { serviceWorker } = navigator;
    await serviceWorker.register(new URL("service_worker.js", root), { updateViaCache: "none" });
    const { active } = await serviceWorker.ready;
    serviceWorker.onmessage = ({ data: { kept } }) => {
      if (kept > 0) tell("The whole course is now in this browser: it works offline.");
    };
    active.postMessage("keep");
  } catch {
    // There are no service workers in this window, or there is no connection; the course works as before.
  }
}
