// Starts the page: the chosen theme before anything is painted, then the program.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("heartline.theme");
  } catch {
    // Storage may be forbidden: the theme then follows the system.
  }
  if (theme === "light" || theme === "dark") {
    document.documentElement.dataset.theme = theme;
  }

  const fail = (cause) => {
    const note = document.getElementById("boot");
    if (note) {
      note.textContent = `The page could not start: ${cause}. Heartline needs a browser with WebAssembly; reload to try again.`;
    }
  };
  const start = () =>
    import("/frontend.js")
      .then((page) => page.default({ module_or_path: "/frontend_bg.wasm" }))
      .catch(fail);

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
