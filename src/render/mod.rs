//! Results and numbers as text for people and programs.
