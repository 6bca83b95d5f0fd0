#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

// Calls of libedit that take any number of arguments, which Swift can't make. Characters are numbers of Unicode scalars.

static inline void cedit_set_owner(EditLine *editor, void *owner) { el_wset(editor, EL_CLIENTDATA, owner); }

static inline void *cedit_owner(EditLine *editor) {
    void *owner = NULL;
    el_wget(editor, EL_CLIENTDATA, &owner);
    return owner;
}

static inline void cedit_set_prompt(EditLine *editor, wchar_t *(*prompt)(EditLine *)) {
    el_wset(editor, EL_PROMPT, prompt);
}

static inline void cedit_set_reader(EditLine *editor, int (*reader)(EditLine *, wchar_t *)) {
    el_wset(editor, EL_GETCFN, reader);
}

static inline void cedit_use_emacs_keys(EditLine *editor) { el_wset(editor, EL_EDITOR, L"emacs"); }

static inline void cedit_bind(EditLine *editor, const char *key, const char *command) {
    el_set(editor, EL_BIND, key, command, NULL);
}

static inline void cedit_add_completion(EditLine *editor, unsigned char (*complete)(EditLine *, int)) {
    el_wset(editor, EL_ADDFN, L"yaprak-complete", L"completes a word", complete);
    el_wset(editor, EL_BIND, L"^I", L"yaprak-complete", NULL);
}

// Draws the line from the cursor's place on.
static inline void cedit_redraw(EditLine *editor) { el_wset(editor, EL_REFRESH); }

// Whether the keys are the editor's.
static inline void cedit_take_keys(EditLine *editor, int taken) { el_wset(editor, EL_PREP_TERM, taken); }

static inline HistoryW *cedit_make_history(EditLine *editor, int count) {
    HistoryW *history = history_winit();
    HistEventW event;
    if (!history) return NULL;
    history_w(history, &event, H_SETSIZE, count);
    history_w(history, &event, H_SETUNIQUE, 1);
    el_wset(editor, EL_HIST, history_w, history);
    return history;
}

static inline void cedit_add_line(HistoryW *history, const wchar_t *line) {
    HistEventW event;
    history_w(history, &event, H_ENTER, line);
}

// A locale in which text is UTF-8, the user's if that is one; NULL if the system has none.
static inline locale_t cedit_make_locale(void) {
    const char *names[] = {"", "C.UTF-8", "en_US.UTF-8", "UTF-8"};
    for (int i = 0; i < 4; i++) {
        locale_t made = newlocale(LC_CTYPE_MASK, names[i], (locale_t)0);
        if (made == (locale_t)0) continue;
        if (strcmp(nl_langinfo_l(CODESET, made), "UTF-8") == 0) return made;
        freelocale(made);
    }
    return (locale_t)0;
}
