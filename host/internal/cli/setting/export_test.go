package setting

var LibraryOf = libraryOf
