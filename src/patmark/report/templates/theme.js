try {
  const theme = localStorage.getItem("patmark-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage is closed to this page: follow the system */ }
